#include <torchlight/nn/init.h>

#include <cmath>

#include <torchlight/autograd.h>
#include <torchlight/random.h>

#include "support/text.h"

namespace torchlight::nn::init {
namespace {

Options like(const Tensor& tensor) { return {.dtype = tensor.dtype(), .device = tensor.device()}; }

double fan_of(const Tensor& tensor, FanMode mode) {
  const Fans fans = calculate_fans(tensor);
  return static_cast<double>(mode == FanMode::fan_in ? fans.in : fans.out);
}

// A uniform distribution of this deviation reaches so far on each side.
double half_width(double std) { return std::sqrt(3.0) * std; }

double kaiming_std(const Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  return calculate_gain(nonlinearity, a) / std::sqrt(fan_of(tensor, mode));
}

double xavier_std(const Tensor& tensor, double gain) {
  const Fans fans = calculate_fans(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fans.in + fans.out));
}

}  // namespace

Tensor& constant_(Tensor& tensor, double value) {
  const no_grad guard;
  return tensor.fill_(value);
}

Tensor& zeros_(Tensor& tensor) { return constant_(tensor, 0); }
Tensor& ones_(Tensor& tensor) { return constant_(tensor, 1); }

Tensor& uniform_(Tensor& tensor, double a, double b) {
  const no_grad guard;
  return tensor.copy_(uniform(tensor.shape(), a, b, like(tensor)));
}

Tensor& normal_(Tensor& tensor, double mean, double std) {
  const no_grad guard;
  return tensor.copy_(normal(tensor.shape(), mean, std, like(tensor)));
}

Fans calculate_fans(const Tensor& weight) {
  if (weight.dim() < 2)
    throw Error("init: fans need a weight of at least two dims (out, in, ...), not " +
                weight.shape().str());
  std::int64_t area = 1;
  for (int i = 2; i < weight.shape().rank(); ++i) area *= weight.shape()[i];
  return {weight.size(1) * area, weight.size(0) * area};
}

double calculate_gain(Nonlinearity nonlinearity, double param) {
  switch (nonlinearity) {
    case Nonlinearity::tanh: return 5.0 / 3;
    case Nonlinearity::relu: return std::sqrt(2.0);
    case Nonlinearity::leaky_relu: return std::sqrt(2.0 / (1 + param * param));
    case Nonlinearity::linear:
    case Nonlinearity::sigmoid: return 1;
  }
  return 1;
}

Tensor& kaiming_uniform_(Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  const double bound = half_width(kaiming_std(tensor, a, mode, nonlinearity));
  return uniform_(tensor, -bound, bound);
}

Tensor& kaiming_normal_(Tensor& tensor, double a, FanMode mode, Nonlinearity nonlinearity) {
  return normal_(tensor, 0, kaiming_std(tensor, a, mode, nonlinearity));
}

Tensor& xavier_uniform_(Tensor& tensor, double gain) {
  const double bound = half_width(xavier_std(tensor, gain));
  return uniform_(tensor, -bound, bound);
}

Tensor& xavier_normal_(Tensor& tensor, double gain) {
  return normal_(tensor, 0, xavier_std(tensor, gain));
}

}  // namespace torchlight::nn::init
