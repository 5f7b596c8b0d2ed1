#include "nn/affine.h"

#include <cmath>

#include <torchlight/nn/init.h>
#include <torchlight/ops.h>

namespace torchlight::nn {

Tensor make_parameter(bool wanted, const Shape& shape, std::optional<Device> device,
                      std::optional<Dtype> dtype) {
  return wanted ? empty(shape, {.dtype = dtype, .device = device}) : Tensor();
}

void reset_affine(Tensor weight, Tensor bias) {
  const double fan_in = static_cast<double>(init::calculate_fans(weight).in);
  const double bound = fan_in > 0 ? 1 / std::sqrt(fan_in) : 0;
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

}  // namespace torchlight::nn
