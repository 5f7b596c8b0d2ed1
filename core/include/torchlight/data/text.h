#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace torchlight::data {

/// The lines of a text file, plain or gzipped, one after the other: only one is in memory. Lines end in LF or
/// CRLF, the last one maybe in neither; a byte order mark at the start isn't part of the first one. FileError
/// for what isn't a regular file, for damaged data, and for a line beyond 64 MiB.
class TextReader {
 public:
  explicit TextReader(const std::string& path);
  ~TextReader();
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;

  /// The next line without its end; false after the last. The view holds until the next call.
  bool next(std::string_view& line);
  std::int64_t line() const;  ///< number of the line last given, from 1

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A whole file as it is, unpacked where it is gzipped.
std::string read_text(const std::string& path);

struct FieldOptions {
  char delimiter = ',';  ///< a tab for TSV
  bool quotes =
      true;  ///< "…" around a field that has a delimiter, a quote (doubled) or a line end in it
  std::int64_t skip_lines = 0;  ///< a header
};

/// The rows of a CSV or TSV file of texts, as RFC 4180 has them. FileError naming the line of a row whose number
/// of fields differs from the first one's, and of a quote that isn't closed or doubled.
class FieldReader {
 public:
  explicit FieldReader(const std::string& path, FieldOptions options = {});
  ~FieldReader();
  FieldReader(const FieldReader&) = delete;
  FieldReader& operator=(const FieldReader&) = delete;

  /// The next row's fields; false after the last. Empty lines are passed over.
  bool next(std::vector<std::string>& fields);
  std::int64_t line() const;  ///< number of the line on which the row last given ended, from 1

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace torchlight::data
#pragma GCC visibility pop
