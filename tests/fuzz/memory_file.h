#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace torchlight::test {

/// These bytes as a file that is only in memory. Gives its descriptor, which stays ours; the file of the call
/// before is gone.
inline int memory_file(const std::uint8_t* bytes, std::size_t size) {
  static const int memory = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (::ftruncate(memory, 0) != 0 || ::pwrite(memory, bytes, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return memory;
}

inline std::string memory_path(const std::uint8_t* bytes, std::size_t size) {
  return "/proc/self/fd/" + std::to_string(memory_file(bytes, size));
}

}  // namespace torchlight::test
