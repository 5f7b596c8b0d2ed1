#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>

#include "io/atomic_file.h"

namespace torchlight::io {

/// Writes a zip file: entries one after the other, stored or deflated, always the same bytes for the same
/// content.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  static constexpr std::size_t longest_name = 65000;

  /// REQUIRES: a name without zero bytes, of at most longest_name bytes; `bytes` that are written after it.
  void start(const std::string& name, std::uint64_t bytes, bool compressed);
  void write(std::span<const char> bytes);
  void finish_entry();
  /// The directory, behind the last entry.
  void finish();

  /// A file, and what writing it threw: no exception may pass through the library's C code.
  struct Target {
    AtomicFile& file;
    std::exception_ptr failure = nullptr;
  };

 private:
  void check(int status);

  Target target_;
  void* zip_;
};

}  // namespace torchlight::io
