#pragma once

#include <string>
#include <vector>

#include "loader/elf_file.h"

/// The dynamic section: what a shared object needs.
namespace torchlight::loader {

struct Dependencies {
  std::vector<std::string> needed;   ///< names of libraries, in order
  std::vector<std::string> runpath;  ///< directories to look for them in, as they stand in the file
};

/// Rejection if the section is missing or malformed, in particular if a name lies outside of the table of
/// names: the dynamic loader would follow it and crash.
Dependencies read_dependencies(const ElfFile& elf);

}  // namespace torchlight::loader
