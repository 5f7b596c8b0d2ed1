#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace torchlight::io {

/// A regular file, read at any place. FileError naming it where it can't be opened, or is a directory, device
/// or FIFO, which is neither waited for nor read.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  /// Error where the file has become shorter, or can't be read.
  void read(std::uint64_t at, void* to, std::size_t count) const;

 private:
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

}  // namespace torchlight::io
