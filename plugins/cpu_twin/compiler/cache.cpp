#include "compiler/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/digest.h"
#include "error.h"

namespace twin {
namespace {

namespace fs = std::filesystem;

constexpr const char* contents_name = "contents";

/// What the folder must hold: a line for each file.
std::string contents_of(const std::string& folder) {
  std::vector<std::string> lines;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    if (name != contents_name) lines.push_back(name + " " + file_digest(file.path()) + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// Whether it is a folder that nobody else can have put anything into: what it holds is going to be executed.
bool is_own(const std::string& folder, bool may_be_link = false) {
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0 || found.st_uid != geteuid()) return false;
  if (may_be_link && S_ISLNK(found.st_mode) && stat(folder.c_str(), &found) != 0) return false;
  return S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_whole(const std::string& folder) {
  if (!is_own(folder)) return false;
  std::ifstream file(folder + "/" + contents_name, std::ios::binary);
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  return file && !said.empty() && said == contents_of(folder);
}

/// Whether its maker was killed: compiling takes minutes at most.
bool is_abandoned(const fs::directory_entry& folder) {
  std::error_code problem;
  const auto written = folder.last_write_time(problem);
  return !problem && folder.path().filename().string().find(".new-") != std::string::npos &&
         fs::file_time_type::clock::now() - written > std::chrono::hours(1);
}

/// Writes it through, so that a full disk is noticed here.
void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw CompileError("can't write " + path + ": " + std::strerror(errno));
}

/// Held while an entry is made. Where locks don't work, two may make it; the first one counts.
class Lock {
 public:
  explicit Lock(const std::string& path)
      : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ >= 0)
      while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
      }
  }
  ~Lock() {
    if (file_ >= 0) close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

}  // namespace

std::string Cache::default_directory() {
  if (const char* set = secure_getenv("TORCHLIGHT_TWIN_CACHE"); set && *set) return set;
  if (const char* set = secure_getenv("XDG_CACHE_HOME"); set && *set == '/')
    return std::string(set) + "/torchlight/twin";
  if (const char* set = secure_getenv("HOME"); set && *set == '/')
    return std::string(set) + "/.cache/torchlight/twin";
  return {};
}

Cache::Cache(std::string directory, uint64_t limit_bytes)
    : directory_(std::move(directory)), limit_(limit_bytes) {
  std::error_code problem;
  if (directory_.empty()) {
    use_temporary("there is no home directory");
    return;
  }
  // A fresh one is the user's alone, whatever the umask.
  if (fs::create_directories(directory_, problem))
    fs::permissions(directory_, fs::perms::owner_all, problem);
  if (problem)
    use_temporary(directory_ + " can't be written: " + problem.message());
  else if (access(directory_.c_str(), W_OK | X_OK) != 0)
    use_temporary(directory_ + " can't be written: " + std::strerror(errno));
  else if (!is_own(directory_, true))
    use_temporary(directory_ + " belongs to another user, or others may write into it");
}

Cache::~Cache() {
  std::error_code none;
  if (temporary_) fs::remove_all(directory_, none);
}

void Cache::use_temporary(const std::string& why) {
  const char* base = secure_getenv("TMPDIR");
  std::string pattern = std::string(base && *base == '/' ? base : "/tmp") + "/torchlight-twin-XXXXXX";
  if (!mkdtemp(pattern.data()))
    throw CompileError("there is no place for compiled kernels: " + why + "; " + pattern + ": " +
                       std::strerror(errno) +
                       ". Set TORCHLIGHT_TWIN_CACHE to a directory that can be written.");
  remark_ = "compiled kernels are kept for this process alone, in " + pattern + ", because " + why;
  directory_ = pattern;
  temporary_ = true;
}

std::string Cache::entry(const std::string& key, const std::function<void(const std::string&)>& make,
                         const std::function<bool(const std::string&)>& valid) {
  const std::string folder = directory_ + "/" + key;
  const auto usable = [&] { return is_whole(folder) && (!valid || valid(folder)); };
  const auto touch = [&] { utimensat(AT_FDCWD, folder.c_str(), nullptr, 0); };
  if (usable()) return touch(), folder;
  if (temporary_)
    mkdir(directory_.c_str(), S_IRWXU);  // for who compiles when it is gone already, at exit
  const Lock lock(folder + ".lock");
  if (usable()) return touch(), folder;
  std::string fresh = folder + ".new-XXXXXX";
  if (!mkdtemp(fresh.data()))
    throw CompileError("can't write into " + directory_ + ": " + std::strerror(errno));
  std::error_code problem;
  try {
    make(fresh);
    write_file(fresh + "/" + contents_name, contents_of(fresh));
  } catch (...) {
    fs::remove_all(fresh, problem);
    unlink((folder + ".lock").c_str());
    throw;
  }
  ++made_;
  fs::remove_all(folder, problem);
  fs::rename(fresh, folder, problem);
  if (problem) {  // another process without locks was faster: its entry is as good
    std::error_code none;
    fs::remove_all(fresh, none);
    if (!usable()) throw CompileError("can't keep " + folder + ": " + problem.message());
  }
  unlink((folder + ".lock").c_str());
  keep_below_limit(folder);
  return folder;
}

void Cache::keep_below_limit(const std::string& just_made) {
  struct Known {
    std::string path;
    uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<Known> all;
  uint64_t sum = 0;
  std::error_code problem;
  for (const auto& folder : fs::directory_iterator(directory_, problem)) {
    if (!folder.is_directory(problem)) continue;
    if (is_abandoned(folder)) {
      fs::remove_all(folder.path(), problem);
      continue;
    }
    Known known{folder.path(), 0, folder.last_write_time(problem)};
    for (const auto& file : fs::directory_iterator(folder.path(), problem)) {
      const auto bytes = file.file_size(problem);
      if (!problem) known.bytes += bytes;
    }
    sum += known.bytes;
    all.push_back(std::move(known));
  }
  if (sum <= limit_) return;
  std::sort(all.begin(), all.end(), [](const Known& a, const Known& b) { return a.used < b.used; });
  for (const Known& known : all) {
    if (sum <= limit_) return;
    if (known.path == just_made) continue;
    fs::remove_all(known.path, problem);
    sum -= std::min(sum, known.bytes);
  }
}

}  // namespace twin
