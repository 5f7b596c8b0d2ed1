#include <torchlight/data/csv.h>

#include <locale.h>
#include <stdlib.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include <torchlight/ops.h>

#include "data/line_reader.h"
#include "support/text.h"

namespace torchlight::data {
namespace {

std::string_view trimmed(std::string_view field) {
  const std::size_t first = field.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(" \t") - first + 1);
}

std::string shown(std::string_view field) { return in_quotes(field, 40); }

// The number that `digits` are nearest to: a tiny one may be 0. Independent of the program's locale.
locale_t c_locale() {
  static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}
float nearest(const std::string& digits, float) {
  return ::strtof_l(digits.c_str(), nullptr, c_locale());
}
double nearest(const std::string& digits, double) {
  return ::strtod_l(digits.c_str(), nullptr, c_locale());
}

}  // namespace

/// Rows of one file, whatever the type of their numbers.
class CsvReader::Table {
 public:
  virtual ~Table() = default;
  virtual Tensor next(std::int64_t rows) = 0;
};

namespace {

/// The fields of one file as numbers of type T, row after row.
template <class T> class TableOf : public CsvReader::Table {
 public:
  TableOf(const std::string& path, const CsvOptions& options) : reader_(path), options_(options) {
    std::string_view line;
    for (std::int64_t i = 0; i < options.skip_lines; ++i)
      if (!reader_.next(line)) break;
    if (reader_.next(line))
      add_row(line);
    else
      throw FileError(text(path, ": there are no rows of numbers in it"));
  }

  Tensor next(std::int64_t rows) override {
    std::string_view line;
    while (rows_ < rows && reader_.next(line)) add_row(line);
    if (rows_ == 0) return {};
    const Tensor result =
        torchlight::tensor(values_, {.dtype = options_.dtype, .device = options_.device})
            .reshape({rows_, columns_});
    values_.clear();
    rows_ = 0;
    return result;
  }

 private:
  void add_row(std::string_view line) {
    if (reader_.number() == 1 && line.starts_with(byte_order_mark))
      line.remove_prefix(byte_order_mark.size());
    if (trimmed(line).empty()) reader_.fail("the line is empty");
    const std::size_t before = values_.size();
    try {
      add_fields(line);
    } catch (...) {
      values_.resize(before);  // the rows around a refused one can still be read
      throw;
    }
    ++rows_;
  }

  void add_fields(std::string_view line) {
    column_ = 0;
    for (;;) {
      ++column_;
      const std::size_t comma = line.find(options_.delimiter);
      values_.push_back(number(trimmed(line.substr(0, comma))));
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
    }
    if (columns_ == 0) columns_ = column_;
    if (column_ != columns_)
      reader_.fail(text("it has ", column_, " columns, the first row has ", columns_));
  }

  T number(std::string_view field) const {
    if (field.empty()) return missing();
    std::string_view digits = field;
    if (digits.front() == '+' && !digits.starts_with("+-")) digits.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = end == digits.data() + digits.size();
    if (whole && error == std::errc::result_out_of_range) return out_of_range(field, digits);
    if (!whole || error != std::errc()) refuse(field, digits);
    check_finite(field, value);
    return value;
  }

  // from_chars says the same of 1e400 and 1e-400.
  T out_of_range(std::string_view field, std::string_view digits) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T value = nearest(std::string(digits), T());
      if (std::isfinite(value)) return value;
    }
    fail(text(shown(field), " is out of the range of ", name_of(options_.dtype)));
  }

  [[noreturn]] void refuse(std::string_view field, std::string_view digits) const {
    if constexpr (std::is_integral_v<T>) {
      double real = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
      if (end == digits.data() + digits.size() && error != std::errc::invalid_argument)
        fail(text(shown(field), " is not a whole number; ", name_of(options_.dtype),
                  " is read from digits alone, without fraction and exponent"));
    }
    fail(shown(field) + " is not a number");
  }

  T missing() const {
    if constexpr (std::is_floating_point_v<T>)
      if (options_.allow_missing) return std::numeric_limits<T>::quiet_NaN();
    fail("the field is empty");
  }

  void check_finite(std::string_view field, T value) const {
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value) && !options_.allow_missing)
        fail(shown(field) + " is not a finite number (CsvOptions::allow_missing takes it)");
  }

  [[noreturn]] void fail(const std::string& what) const {
    reader_.fail(text("column ", column_, ": ", what));
  }

  LineReader reader_;
  const CsvOptions options_;
  std::vector<T> values_;     // of rows that were read and not given out
  std::int64_t rows_ = 0;     // how many
  std::int64_t columns_ = 0;  // of the first row
  std::int64_t column_ = 0;   // being read
};

}  // namespace

CsvReader::CsvReader(const std::string& path, const CsvOptions& options) {
  constexpr std::string_view of_numbers_and_lines = "+-.\r\n";
  const auto delimiter = static_cast<unsigned char>(options.delimiter);
  if (std::isalnum(delimiter) != 0 ||
      of_numbers_and_lines.find(options.delimiter) != std::string_view::npos)
    throw Error(text("read_csv: the delimiter \"", std::string_view(&options.delimiter, 1),
                     "\" may be part of a number or a line"));
  if (options.skip_lines < 0)
    throw Error(text("read_csv: skip_lines is ", options.skip_lines, "; it must be at least 0"));
  switch (options.dtype) {
    case Dtype::float32: table_ = std::make_unique<TableOf<float>>(path, options); return;
    case Dtype::float64: table_ = std::make_unique<TableOf<double>>(path, options); return;
    case Dtype::int64: table_ = std::make_unique<TableOf<std::int64_t>>(path, options); return;
    default: break;
  }
  throw Error(text("read_csv: dtype must be float32, float64 or int64, not ", name_of(options.dtype)));
}

CsvReader::~CsvReader() = default;

Tensor CsvReader::next(std::int64_t rows) {
  if (rows < 1) throw Error(text("CsvReader: next: rows is ", rows, "; it must be at least 1"));
  return table_->next(rows);
}

Tensor read_csv(const std::string& path, const CsvOptions& options) {
  return CsvReader(path, options).next(std::numeric_limits<std::int64_t>::max());
}

}  // namespace torchlight::data
