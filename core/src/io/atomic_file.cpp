#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <torchlight/error.h>

#include "support/file_kind.h"
#include "support/text.h"

namespace torchlight::io {
namespace {

// What `path` leads to through links, whether it is there or not.
std::filesystem::path follow_links(std::filesystem::path path) {
  std::error_code error;
  for (int i = 0; i < 40 && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

// What is there, if it isn't a file that a rename may replace.
std::string_view special_kind_at(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? special_kind(status.st_mode) : "";
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  const std::filesystem::path target = follow_links(path);
  target_ = target.string();
  if (path.empty()) throw FileError("can't write: the path is empty");
  if (!target.has_filename()) {
    errno = EISDIR;
    fail("write");
  }
  if (const std::string_view kind = special_kind_at(target_); !kind.empty())
    throw FileError(text("can't write ", path_, ": it is ", kind, ", not a regular file"));
  // Names that a killed process left behind are passed over.
  for (int i = 0; descriptor_ < 0; ++i) {
    const std::string name = "." + target.filename().string() + text(".", ::getpid(), "-", i, ".tmp");
    temporary_ = (target.parent_path() / name).string();
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail("write");
  }
}

AtomicFile::~AtomicFile() {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw FileError(text("can't ", what, " ", path_, ": ", std::strerror(errno)));
}

void AtomicFile::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void AtomicFile::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(position_));
    if (count < 0 && errno != EINTR) fail("write");
    if (count <= 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    position_ += static_cast<std::uint64_t>(count);
    bytes_ = std::max(bytes_, position_);
  }
}

void AtomicFile::commit() {
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 07777) != 0)
    fail("write");
  if (::fsync(descriptor_) != 0) fail("write");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace");
  temporary_.clear();

  const std::string directory = std::filesystem::path(target_).parent_path().string();
  const int folder = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_CLOEXEC);
  if (folder < 0) return;  // the file is there and whole; only its name may be younger than a crash
  ::fsync(folder);
  ::close(folder);
}

void write_file(const std::string& path, std::span<const char> content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace torchlight::io
