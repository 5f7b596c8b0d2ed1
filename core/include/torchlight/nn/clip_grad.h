#pragma once

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
namespace torchlight::nn::utils {

struct ClipGradOptions {
  double norm_type = 2;  ///< infinity for the largest absolute value
  bool error_if_nonfinite = false;
};

/// Scales the gradients of all parameters, in place and together, so that their norm as one vector is at
/// most max_norm, and gives the norm (shape ()) that they had. Those without a gradient are passed over. A
/// norm that isn't finite spoils them all, or is an Error where options ask for it.
Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                       ClipGradOptions options = {});

/// Cuts every element of the gradients off at ±clip_value, in place.
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);

}  // namespace torchlight::nn::utils
#pragma GCC visibility pop
