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

/// A source with its own headers (#include "…"), of which only those are read that may be compiled.
class Source {
 public:
  explicit Source(const Options& options) : options_(options) { add(options.compiler + "\n"); }
  void add_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    add(content + std::to_string(content.size()));
    std::istringstream lines(content);
    for (std::string line; problem_.empty() && std::getline(lines, line);)
      if (const std::string header = header_of(line); !header.empty())
        add_header(path.parent_path() / header);
  }
  /// Why it isn't to be compiled, or nothing.
  const std::string& problem() const { return problem_; }
  /// Of the files' bytes, a header's in the place where it is included first: FNV-1a.
  std::string hash() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
    return digits;
  }

 private:
  /// Once: headers may include each other.
  void add_header(const fs::path& path) {
    std::error_code error;  // what can't be looked at, the compiler will say
    const fs::path file = fs::canonical(path, error);
    if (error || !fs::is_regular_file(file, error)) return;
    const std::string distrusted = distrust_file(path.string(), file.string(), options_);
    if (!distrusted.empty()) problem_ = "its header " + file.string() + ": " + distrusted;
    if (!distrusted.empty() || !seen_.insert(file).second) return;
    add_file(path);  // whose own headers lie beside the link, if it is one
  }
  void add(const std::string& bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }

  const Options& options_;
  std::uint64_t value_ = 14695981039346656037u;
  std::set<fs::path> seen_;
  std::string problem_;
};

/// Makes a directory of this user's alone, or finds it. Why there is none, or nothing.
std::string make_private(const fs::path& directory, const Options& options) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  if (::mkdir(directory.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return std::strerror(errno);
  const fs::path found = fs::canonical(directory, error);
  if (error) return error.message();
  if (!fs::is_directory(found, error)) return std::strerror(ENOTDIR);
  return distrust_file(directory.string(), found.string(), options);
}

/// What a source was compiled to, if nobody else can have written it.
std::string trusted(const std::string& library, const Options& options, std::string& problem) {
  std::error_code error;
  const std::string path = fs::absolute(library, error).string(),
                    file = fs::canonical(library, error).string();
  problem = error ? error.message() : distrust_file(path, file, options);
  if (problem.empty()) return library;
  problem = "what it compiled to, " + library + ": " + problem;
  return {};
}

}  // namespace

std::string compiled(const std::string& source, const Options& options, std::string& problem) {
  if (!options.compile || options.cache.empty())
    return problem = "a source, and this device has no compiler for it", std::string();
  Source all(options);
  all.add_file(source);
  if (problem = all.problem(); !problem.empty()) return {};
  const fs::path directory = options.cache;
  const std::string kept =
      (directory / (fs::path(source).stem().string() + "-" + all.hash() + ".so")).string();
  if (const std::string none = make_private(directory, options); !none.empty())
    return problem = "no cache for what it compiles to: " + options.cache + ": " + none, std::string();
  if (::access(kept.c_str(), R_OK) == 0) return trusted(kept, options, problem);
  const std::string fresh = kept + "." + std::to_string(::getpid()) + ".new";
  std::string made = fresh, error;
  if (!options.compile(source.c_str(), &made, &error)) {
    ::unlink(fresh.c_str());
    return problem = "doesn't compile: " + error, std::string();
  }
  if (made != fresh) return trusted(made, options, problem);  // the compiler has a cache of its own
  if (::rename(fresh.c_str(), kept.c_str()) != 0)
    return problem = "no cache for what it compiles to: " + std::string(std::strerror(errno)),
           std::string();
  return trusted(kept, options, problem);
}

}  // namespace torchlight::drop_ins
