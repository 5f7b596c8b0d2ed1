#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::io {

InputFile::InputFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const std::string reason = std::strerror(errno);
    if (descriptor_ >= 0) ::close(descriptor_);
    throw FileError(text("can't open ", path, ": ", reason));
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw FileError(text("can't open ", path, ": it is a ",
                         S_ISDIR(status.st_mode) ? "directory" : "special file",
                         ", not a regular file"));
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read(std::uint64_t at, void* to, std::size_t count) const {
  auto* place = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, place, count, static_cast<off_t>(at));
    if (got == 0) throw Error("the file is shorter than it was");
    if (got < 0 && errno != EINTR) throw Error(text("it can't be read: ", std::strerror(errno)));
    if (got < 0) continue;
    place += got;
    at += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace torchlight::io
