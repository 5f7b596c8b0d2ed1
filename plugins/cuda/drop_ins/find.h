#pragma once

#include <string>
#include <vector>

#include "options.h"

/// Which files there are, found without running anything of theirs.
namespace torchlight::drop_ins {

struct FoundFile {
  std::string path;  ///< as it was found
  std::string file;  ///< without links; empty where there is a problem
  Family family = Family::softmax;
  bool is_source = false;
  std::string problem;  ///< why it can't be used
};

struct Found {
  std::vector<FoundFile> files;  ///< in the order in which they count
  std::vector<std::string>
      places;  ///< what is wrong with entries of the list: "kernels: a relative path…"
};

/// The directories of the list, then the installed one; never the current directory. In each the three
/// families, a shared object before its source. An entry may also be such a file.
Found find_files(const Options& options);

/// Why a file that others could have written isn't used, or nothing.
std::string distrust_file(const std::string& path, const std::string& file, const Options& options);

/// The shared object made of a source, from the cache while the source and what it includes with quotes
/// are the same; those headers must be as trustworthy as the source. Empty, with the reason, where
/// there is none.
std::string compiled(const std::string& source, const Options& options, std::string& problem);

}  // namespace torchlight::drop_ins
