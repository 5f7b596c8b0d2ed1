#pragma once

#include <string>

#include <torchlight/tensor.h>

namespace torchlight::nn {

/// Where in a tensor of this shape element i of its row-major order stands: "3", or "(1, 0, 2)".
std::string position(const Shape& shape, std::int64_t i);

/// Error, in the name of `op`, unless the tensor holds int64; `what` says what of: "class numbers".
void require_int64(const char* op, const char* what, const Tensor& numbers);

/// Error, in the name of `op`, for the first number outside 0 … count - 1, naming it and its position; those
/// equal to `ignored` are passed over. `what` and `whole` say what they are: "label", "classes".
void check_numbers(const char* op, const char* what, const char* whole, const Tensor& numbers,
                   std::int64_t count, std::optional<std::int64_t> ignored = {});

}  // namespace torchlight::nn
