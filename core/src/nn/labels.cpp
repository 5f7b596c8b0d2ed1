#include "nn/labels.h"

#include "support/text.h"

namespace torchlight::nn {

std::string position(const Shape& shape, std::int64_t i) {
  Shape at = shape;
  for (int dim = shape.rank() - 1; dim >= 0; --dim) {
    at[dim] = i % shape[dim];
    i /= shape[dim];
  }
  return at.rank() == 1 ? std::to_string(at[0]) : at.str();
}

void require_int64(const char* op, const char* what, const Tensor& numbers) {
  if (numbers.dtype() != int64)
    throw Error(text(op, ": takes int64 ", what, ", not ", name_of(numbers.dtype()),
                     numbers.numel() > 0 ? " such as " + numbers.flatten()[0].str() : ""));
}

void check_numbers(const char* op, const char* what, const char* whole, const Tensor& numbers,
                   std::int64_t count, std::optional<std::int64_t> ignored) {
  const std::vector<std::int64_t> values = numbers.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((values[i] < 0 || values[i] >= count) && values[i] != ignored)
      throw Error(text(op, ": ", what, " ", values[i], " at position ",
                       position(numbers.shape(), static_cast<std::int64_t>(i)), " is not one of the ",
                       count, " ", whole, " 0 … ", count - 1));
}

}  // namespace torchlight::nn
