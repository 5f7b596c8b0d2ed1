#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace torchlight::io {

/// A file that appears under its name all at once. Everything goes to a temporary file in the same
/// directory; commit() makes it the file, the destructor without it removes it. Failures are FileErrors.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const char> bytes);
  /// The place of the next write, from the file's start.
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position) { position_ = position; }
  std::uint64_t bytes() const { return bytes_; }  ///< written so far
  /// To the disk, then onto the name, then the name to the disk.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  void close();

  std::string path_;    // as the user named it, for messages
  std::string target_;  // where links lead to
  std::string temporary_;
  int descriptor_ = -1;
  std::uint64_t position_ = 0, bytes_ = 0;
};

/// All of a file at once, atomically.
void write_file(const std::string& path, std::span<const char> content);

}  // namespace torchlight::io
