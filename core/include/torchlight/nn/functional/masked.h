#pragma once

#include <torchlight/shape.h>
#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight::nn::functional {

// ---- reductions over the elements where a bool mask, which broadcasts to x, is true. What is masked has
// no influence, on the gradient either, not even NaN.

Tensor masked_sum(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false);
/// NaN where nothing is left, as the mean of nothing is.
Tensor masked_mean(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false);
/// Error where nothing is left.
Tensor masked_max(const Tensor& x, const Tensor& mask, const Dims& dims = {}, bool keepdim = false);

/// int64 (…) → int64 (…, num_classes) with a 1 at each number; -1 means one more than the largest. Error
/// naming a number outside and its position.
Tensor one_hot(const Tensor& indices, std::int64_t num_classes = -1);

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
