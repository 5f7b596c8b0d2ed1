#pragma once

#include <cstdint>
#include <vector>

#include "array/operations.h"

namespace torchlight::autograd {

/// An array that may be kept: x itself where nobody else holds it, else a copy.
Array owned(const Array& x);

/// The gradient that lookups of a few rows leave for a table in one backward pass: it is 0 but in those
/// rows, so that making the whole of it costs time for the table, and keeping the parts doesn't.
struct RowGradients {
  struct Part {
    std::vector<std::int64_t> rows;  ///< may repeat
    Array values;                    ///< (rows, …), added to those rows in order
  };
  Array table;  ///< shape, dtype and device of what this is the gradient of
  std::vector<Part> parts;
  std::int64_t row_count = 0;  ///< of all parts

  /// Keeps `values`, the gradient of gather(table, dim, index). False, and nothing kept, where that didn't
  /// look up rows, where they are so many that the whole costs less, or where the host can't see them.
  bool keep(const Array& table, std::int64_t dim, const Array& index, const Array& values);
  /// The whole, like the table: zeros, to which the parts are added one after another.
  Array whole() const;
};

/// Whether a step of that many rows of a table costs less than one of the table.
bool are_few(std::int64_t rows, const Array& table);

}  // namespace torchlight::autograd
