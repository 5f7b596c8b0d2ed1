#pragma once

#include <memory>
#include <string>

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight::data {

struct CsvOptions {
  Dtype dtype = float32;  ///< float32, float64 or int64
  char delimiter = ',';
  std::int64_t skip_lines = 0;  ///< a header
  /// Takes "nan", "inf", "infinity" (any case, with sign) for what they say, and an empty field for NaN.
  /// Otherwise each is an error.
  bool allow_missing = false;
  std::optional<Device> device = {};
};

/// A file of numbers, plain or gzipped (also several gzip files in one), as a tensor (rows, columns). Read as
/// a stream: memory for the numbers only. FileError naming line and column (both from 1) for a row of
/// another length, an empty field or line, something that isn't a number, a number the dtype can't hold, and
/// a damaged or empty file. It must be a regular file: a directory, FIFO, socket or device is refused.
///
/// A number is decimal, as in C, spaces and tabs around it don't count; int64 takes no fraction and no
/// exponent. float32 and float64 get the nearest value they have, which is 0 for a number too near to 0
/// (1e-400); one that is too large for them (1e400) is an error. Lines end in LF or CRLF, the last one
/// maybe in neither.
Tensor read_csv(const std::string& path, const CsvOptions& options = {});

/// The same file a part at a time, for files larger than memory. The first row is read at once.
class CsvReader {
 public:
  explicit CsvReader(const std::string& path, const CsvOptions& options = {});
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// The next rows, at most this many: (n, columns). An undefined tensor after the last. After a FileError
  /// nothing more can be read.
  Tensor next(std::int64_t rows);

  class Table;

 private:
  std::unique_ptr<Table> table_;
};

}  // namespace torchlight::data
#pragma GCC visibility pop
