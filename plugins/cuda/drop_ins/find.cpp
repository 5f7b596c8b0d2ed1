#include "find.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "shared/trust.h"

namespace torchlight::drop_ins {
namespace {

namespace fs = std::filesystem;

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

class Search {
 public:
  explicit Search(const Options& options) : options_(options) {}

  void visit(const std::string& entry, bool named) {
    struct stat status {};
    if (entry.empty()) return;
    if (entry[0] != '/') return problem(entry, "a relative path: write it from / on");
    if (::stat(entry.c_str(), &status) != 0)
      return named ? problem(entry, std::strerror(errno)) : void();
    if (!S_ISDIR(status.st_mode)) return visit_file(entry);
    if (::access(entry.c_str(), X_OK) != 0) return problem(entry, std::strerror(errno));
    for (const char* stem : family_stem)
      for (const char* suffix : {".so", ".cu"}) visit_file(entry + "/" + stem + suffix);
  }

  Found finish() { return std::move(found_); }

 private:
  void problem(const std::string& entry, const std::string& what) {
    found_.places.push_back(entry + ": " + what);
  }

  void visit_file(const std::string& path) {
    const fs::path name = fs::path(path).filename();
    const auto* family = std::find(family_stem, family_stem + family_count, name.stem().string());
    const bool is_source = name.extension() == ".cu";
    struct stat status {};
    if (family == family_stem + family_count || (!is_source && name.extension() != ".so")) return;
    if (::lstat(path.c_str(), &status) != 0) return;
    FoundFile file{path, {}, Family(family - family_stem), is_source, {}};
    examine(file);
    if (!file.problem.empty()) file.file.clear();
    found_.files.push_back(std::move(file));
  }

  void examine(FoundFile& file) {
    std::error_code error;
    file.file = fs::canonical(file.path, error).string();
    struct stat status {};
    if (error || ::stat(file.file.c_str(), &status) != 0)
      file.problem = "can't be read: " + (error ? error.message() : std::strerror(errno));
    else if (!S_ISREG(status.st_mode))
      file.problem = kind_of(status.st_mode) + ", not a regular file";
    else if (::access(file.file.c_str(), R_OK) != 0)
      file.problem = std::string("can't be read: ") + std::strerror(errno);
    else if (status.st_size == 0)
      file.problem = "empty file";
    else if (!seen_.insert({status.st_dev, status.st_ino}))
      file.problem = "the same file as one before";
    else
      file.problem = distrust_file(file.path, file.file, options_);
  }

  struct Seen {
    std::vector<std::pair<dev_t, ino_t>> ids;
    bool insert(std::pair<dev_t, ino_t> id) {
      if (std::find(ids.begin(), ids.end(), id) != ids.end()) return false;
      ids.push_back(id);
      return true;
    }
  };

  const Options& options_;
  Found found_;
  Seen seen_;
};

}  // namespace

std::string distrust_file(const std::string& path, const std::string& file, const Options& options) {
  if (options.trust_all) return {};
  // The plug-in's owner is the core's: they are installed together.
  struct stat helper {};
  const bool installed = ::stat(options.helper.c_str(), &helper) == 0;
  const Owners owners{::geteuid(), installed ? helper.st_uid : 0};
  try {
    if (const auto reason = distrust(file, owners)) return *reason;
    return distrust_links(path, owners).value_or("");
  } catch (const fs::filesystem_error& error) {  // somebody took it away meanwhile
    return "can't be examined: " + error.code().message();
  }
}

Found find_files(const Options& options) {
  Search search(options);
  if (options.off) return search.finish();
  for (std::size_t begin = 0; begin < options.directories.size();) {
    const std::size_t end = std::min(options.directories.find(':', begin), options.directories.size());
    search.visit(options.directories.substr(begin, end - begin), true);
    begin = end + 1;
  }
  search.visit(options.installed, false);
  return search.finish();
}

}  // namespace torchlight::drop_ins
