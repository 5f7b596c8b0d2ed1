#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace torchlight::io {

/// A regular file that is read. Anything else (a directory, a FIFO, a socket, a device) is refused at once:
/// opening it could wait for somebody or do something. Failures are FileErrors.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return size_; }  ///< when it was opened
  /// The bytes from `offset` on, as many as `to` takes or the file has; gives their number.
  std::size_t read(std::uint64_t offset, std::span<char> to) const;
  /// All that `to` takes; Error where the file has become shorter.
  void read_all(std::uint64_t offset, std::span<char> to) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace torchlight::io
