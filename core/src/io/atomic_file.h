#pragma once

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
  /// To the disk, then onto the name, then the name to the disk.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  void close();

  std::string path_;    // as the user named it, for messages
  std::string target_;  // where links lead to
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace torchlight::io
