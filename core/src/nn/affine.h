#pragma once

#include <torchlight/tensor.h>

namespace torchlight::nn {

/// An uninitialised parameter where a layer's options ask for one, else undefined.
Tensor make_parameter(bool wanted, const Shape& shape, std::optional<Device> device,
                      std::optional<Dtype> dtype);

/// The start that PyTorch gives weight and bias of Linear, Conv1d and Conv2d: uniform in ±1/sqrt(fan_in).
void reset_affine(Tensor weight, Tensor bias);

}  // namespace torchlight::nn
