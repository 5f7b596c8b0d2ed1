#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <torchlight/error.h>

#include "support/file_kind.h"
#include "support/text.h"

namespace torchlight::io {

InputFile::InputFile(const std::string& path) : path_(path) {
  // Looked at before it is opened, since opening a device may start something; and again after that, should
  // another file have taken its place. O_NONBLOCK: then it must not be waited for either.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail(std::strerror(errno));
  if (special_kind(status.st_mode).empty()) {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
  }
  if (const std::string_view kind = special_kind(status.st_mode); !kind.empty())
    fail(text("it is ", kind, ", not a regular file"));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::fail(const std::string& what) const {
  if (descriptor_ >= 0) ::close(descriptor_);  // the constructor that fails has no destructor
  throw FileError(text("can't open ", path_, ": ", what));
}

std::size_t InputFile::read(std::uint64_t offset, std::span<char> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t count =
        ::pread(descriptor_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(text("can't read ", path_, ": ", std::strerror(errno)));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void InputFile::read_all(std::uint64_t offset, std::span<char> to) const {
  if (read(offset, to) != to.size()) throw Error("the file is shorter than it was");
}

}  // namespace torchlight::io
