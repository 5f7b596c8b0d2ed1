#include <torchlight/nn/init.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <torchlight/autograd.h>
#include <torchlight/ops.h>
#include <torchlight/random.h>

#include "support/text.h"

namespace torchlight::nn::init {
namespace {

// The inverse of erf for |y| < 1: a rough formula (Winitzki, 2008), made exact by Newton's steps.
double inverse_erf(double y) {
  const double a = 0.147, log_part = std::log1p(-y * y);
  const double half = 2 / (std::numbers::pi * a) + log_part / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log_part / a) - half), y);
  for (int step = 0; step < 3; ++step)
    x -= (std::erf(x) - y) / (2 * std::numbers::inv_sqrtpi * std::exp(-x * x));
  return x;
}

/// The logarithm of the probability that a standard normal number is below z; far out by the asymptotic series.
double log_below(double z) {
  if (z > -30) return std::log(std::erfc(-z / std::numbers::sqrt2) / 2);
  const double s = 1 / (z * z);
  return -z * z / 2 - std::log(-z * std::sqrt(2 * std::numbers::pi)) +
         std::log1p(s * (-1 + s * (3 - 15 * s)));
}

/// The z below which a standard normal number is with this probability, given by its logarithm.
double quantile(double log_probability) {
  if (log_probability > -12)
    return std::numbers::sqrt2 *
           inverse_erf(std::clamp(2 * std::exp(log_probability) - 1, -1 + 1e-16, 1 - 0x1p-53));
  double z = -std::sqrt(-2 * log_probability);
  for (int i = 0; i < 8; ++i) {  // Newton's steps; the slope is the density by the probability
    const double here = log_below(z);
    z -= (here - log_probability) / std::exp(-z * z / 2 - here) * std::sqrt(2 * std::numbers::pi);
  }
  return z;
}

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

// A normal number is the inverse of its distribution function at a uniform one; uniform between the values
// at a and b it stays between these.
Tensor& trunc_normal_(Tensor& tensor, double mean, double std, double a, double b) {
  if (!(std > 0) || !(a < b))
    throw Error(text("trunc_normal_: std ", std, " must be positive, and a ", a, " less than b ", b));
  // The side above the mean is drawn as the one below it, turned round: small probabilities are exact, those
  // near 1 are not.
  const bool turned = a > mean;
  const double from = (turned ? mean - b : a - mean) / std, to = (turned ? mean - a : b - mean) / std;
  const double high = log_below(to), ratio = std::exp(log_below(from) - high);
  std::vector<double> values =
      uniform(tensor.shape(), 0, 1, {.dtype = float64, .device = "cpu"}).to_vector<double>();
  for (double& value : values) {
    const double z = quantile(high + std::log(ratio + (1 - ratio) * value)) * std;
    value = std::clamp(turned ? mean - z : mean + z, a, b);
  }
  const no_grad guard;
  return tensor.copy_(torchlight::tensor(values, {.dtype = tensor.dtype(), .device = tensor.device()})
                          .reshape(tensor.shape()));
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
