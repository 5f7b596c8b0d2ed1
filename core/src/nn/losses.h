#pragma once

#include <torchlight/nn/functional/losses.h>

namespace torchlight::nn::functional {

/// All losses, their sum or their mean; Error, in the name of `op`, for batchmean.
Tensor reduced(const char* op, const Tensor& losses, Reduction reduction);

/// Error, in the name of `op`, unless both have the same shape.
void require_equal_shapes(const char* op, const Tensor& input, const Tensor& target);

/// Error, in the name of `op`, unless a weight that is given broadcasts to the input.
void require_fitting_weight(const char* op, const char* name, const Tensor& weight,
                            const Tensor& input);

}  // namespace torchlight::nn::functional
