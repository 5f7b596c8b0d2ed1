#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torchlight/tensor.h>

namespace torchlight {

/// The gradient of a parameter in which lookups alone took part, of the rows that they took.
struct TouchedRows {
  std::vector<std::int64_t> rows;  ///< each once, from the first to the last
  Tensor grad;                     ///< of these rows: (rows, …), the bits of param.grad()
};

/// None where the parameter has no gradient, where it has one as an array, or where put_rows can't change
/// the parameter.
std::optional<TouchedRows> touched_rows(const Tensor& param);

/// The rows of a tensor, copied, and back into it, in place and without history.
Tensor take_rows(const Tensor& x, const std::vector<std::int64_t>& rows);
void put_rows(const Tensor& x, const std::vector<std::int64_t>& rows, const Tensor& values);

}  // namespace torchlight
