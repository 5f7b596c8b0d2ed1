#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/unpacked_file.h"

namespace torchlight::data {

/// What some programs put in front of a file in UTF-8.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The lines of a text file, plain or gzipped, one after the other.
class LineReader {
 public:
  explicit LineReader(const std::string& path);  ///< FileError if it can't be opened

  /// The next line without its end; false after the last. The view holds until the next call. FileError for
  /// damaged content and lines beyond 64 MiB.
  bool next(std::string_view& line);
  std::int64_t number() const { return number_; }         ///< of the line last given, from 1
  [[noreturn]] void fail(const std::string& what) const;  ///< FileError: "path, line 3: what"

 private:
  bool fill();

  std::string path_;
  UnpackedFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer isn't given out yet
  std::int64_t number_ = 0;
};

}  // namespace torchlight::data
