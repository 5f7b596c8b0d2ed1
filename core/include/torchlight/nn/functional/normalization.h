#pragma once

#include <torchlight/ops.h>

#pragma GCC visibility push(default)
namespace torchlight::nn::functional {

using torchlight::layer_norm;

/// x / sqrt(mean(x²) + eps) * weight over the last dims, those of normalized_shape, which is weight's, too.
/// eps is by default the distance from 1 to the next number of x's dtype.
/// Source: Zhang and Sennrich, Root mean square layer normalization (2019), (4).
Tensor rms_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

struct BatchNormOptions {
  Tensor weight = {};  ///< (C), or none
  Tensor bias = {};    ///< (C), or none
  bool training = false;
  double momentum = 0.1;
  double eps = 1e-5;
};

/// (x - mean) / sqrt(var + eps) * weight + bias for each channel, dim 1 of x (N, C, …). In training mean and
/// population variance are the batch's, and running_mean and running_var (C), where given, move towards
/// its mean and unbiased variance by the part `momentum`; otherwise they are used. Error where a channel
/// has a single value in training, or shapes don't fit.
/// Source: Ioffe and Szegedy, Batch normalization (2015), algorithms 1 and 2.
Tensor batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormOptions& options = {});

/// x divided by its p-norm along a dim, or by eps where the norm is smaller.
Tensor normalize(const Tensor& x, double p = 2, std::int64_t dim = 1, double eps = 1e-12);

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
