// Sources dropped in, compiled at first use and again when they change.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "find.h"

namespace torchlight::drop_ins {
namespace {

namespace fs = std::filesystem;

/// What stands in an #include "…", or nothing.
std::string header_of(const std::string& line) {
  const std::size_t word = line.find("include"), begin = line.find('"', word);
  if (line.find('#') >= word || begin == line.npos) return {};
  const std::size_t end = line.find('"', begin + 1);
  return end == line.npos ? std::string() : line.substr(begin + 1, end - begin - 1);
}

/// Of a file's bytes and, in their place, of those of its own headers (#include "…"): FNV-1a.
class Hash {
 public:
  explicit Hash(const std::string& compiler) { add(compiler + "\n"); }
  void add_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    add(content + std::to_string(content.size()));
    std::istringstream lines(content);
    for (std::string line; std::getline(lines, line);)
      if (const std::string header = header_of(line); !header.empty())
        add_header(path.parent_path() / header);
  }
  std::string str() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
    return digits;
  }

 private:
  /// Once: headers may include each other.
  void add_header(const fs::path& path) {
    std::error_code error;  // what can't be looked at, the compiler will say
    const fs::path file = fs::canonical(path, error);
    if (error || !fs::is_regular_file(file, error) || !seen_.insert(file).second) return;
    add_file(path);  // whose own headers lie beside the link, if it is one
  }
  void add(const std::string& bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  std::uint64_t value_ = 14695981039346656037u;
  std::set<fs::path> seen_;
};

bool make_private(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  return ::mkdir(directory.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

std::string compiled(const std::string& source, const Options& options, std::string& problem) {
  if (!options.compile || options.cache.empty())
    return problem = "a source, and this device has no compiler for it", std::string();
  Hash hash(options.compiler);
  hash.add_file(source);
  const fs::path directory = options.cache;
  const std::string kept =
      (directory / (fs::path(source).stem().string() + "-" + hash.str() + ".so")).string();
  if (!make_private(directory))
    return problem = "no cache for what it compiles to: " + options.cache + ": " + std::strerror(errno),
           std::string();
  if (::access(kept.c_str(), R_OK) == 0) {
    std::error_code error;
    const std::string file = fs::canonical(kept, error).string();
    problem = error ? error.message() : distrust_file(kept, file, options);
    return problem.empty() ? kept : std::string();
  }
  const std::string fresh = kept + "." + std::to_string(::getpid()) + ".new";
  std::string made = fresh, error;
  if (!options.compile(source.c_str(), &made, &error)) {
    ::unlink(fresh.c_str());
    return problem = "doesn't compile: " + error, std::string();
  }
  if (made != fresh) return made;  // the compiler has a cache of its own
  if (::rename(fresh.c_str(), kept.c_str()) != 0)
    return problem = "no cache for what it compiles to: " + std::string(std::strerror(errno)),
           std::string();
  return kept;
}

}  // namespace torchlight::drop_ins
