#pragma once

#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
/// Fills for parameters, in place and without history; each gives the tensor itself. Random ones draw from
/// default_generator().
namespace torchlight::nn::init {

Tensor& zeros_(Tensor& tensor);
Tensor& ones_(Tensor& tensor);
Tensor& constant_(Tensor& tensor, double value);
Tensor& uniform_(Tensor& tensor, double a = 0, double b = 1);
Tensor& normal_(Tensor& tensor, double mean = 0, double std = 1);
/// Normal, but every value within a … b: the distribution's part outside is cut off, not moved to the ends.
Tensor& trunc_normal_(Tensor& tensor, double mean = 0, double std = 1, double a = -2, double b = 2);

/// Inputs and outputs of one unit of a weight (out, in, …): dim 1 and dim 0, times the further dims.
struct Fans {
  std::int64_t in, out;
};
Fans calculate_fans(const Tensor& weight);

enum class FanMode { fan_in, fan_out };
enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu };

/// The factor by which a nonlinearity shrinks the deviation; `param` is leaky_relu's slope.
double calculate_gain(Nonlinearity nonlinearity, double param = 0.01);

/// Keeps the variance of activations (fan_in) or gradients (fan_out): std = gain / sqrt(fan). `a` is the
/// slope of leaky_relu.
Tensor& kaiming_uniform_(Tensor& tensor, double a = 0, FanMode mode = FanMode::fan_in,
                         Nonlinearity nonlinearity = Nonlinearity::leaky_relu);
Tensor& kaiming_normal_(Tensor& tensor, double a = 0, FanMode mode = FanMode::fan_in,
                        Nonlinearity nonlinearity = Nonlinearity::leaky_relu);
/// A compromise of both: std = gain * sqrt(2 / (fan_in + fan_out)).
Tensor& xavier_uniform_(Tensor& tensor, double gain = 1);
Tensor& xavier_normal_(Tensor& tensor, double gain = 1);

}  // namespace torchlight::nn::init
#pragma GCC visibility pop
