#pragma once

#include <zlib.h>

#include <span>
#include <string>
#include <vector>

#include "io/input_file.h"

namespace torchlight::data {

/// The bytes of a file one after the other, unpacked where it is gzipped: one gzip member or several in a
/// row, and nothing else behind them. Failures are FileErrors.
class UnpackedFile {
 public:
  explicit UnpackedFile(const std::string& path);
  ~UnpackedFile();
  UnpackedFile(const UnpackedFile&) = delete;
  UnpackedFile& operator=(const UnpackedFile&) = delete;

  /// The next bytes, at least one unless the file is over; gives their number.
  std::size_t read(std::span<char> to);

 private:
  bool fetch();
  void unpack();
  void begin_member();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  io::InputFile file_;
  std::uint64_t position_ = 0;  // of the file, behind what was fetched
  std::vector<char> fetched_;   // what `stream_` reads
  z_stream stream_{};
  bool is_packed_ = false;
  bool in_member_ = false;
};

}  // namespace torchlight::data
