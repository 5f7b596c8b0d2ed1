#pragma once

#include <memory>
#include <vector>

#include <torchlight/tensor.h>

/// What the file formats have in common: tensors as bytes in row-major order, little-endian.
namespace torchlight::io {

/// The elements in row-major order, whatever the tensor's device, strides and dtype are.
std::vector<char> bytes_of(const Tensor& tensor);

/// The tensor on `device` that has these bytes as its elements. Error for a bool that is neither 0
/// nor 1.
Tensor tensor_of(std::shared_ptr<char[]> bytes, const Shape& shape, Dtype dtype, Device device,
                 const Strides& strides = {});

}  // namespace torchlight::io
