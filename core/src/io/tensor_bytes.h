#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <torchlight/tensor.h>

/// What the file formats have in common: tensors as bytes in row-major order, little-endian, and names.
namespace torchlight::io {

/// The elements in row-major order, whatever the tensor's device, strides and dtype are.
std::vector<char> bytes_of(const Tensor& tensor);

/// The tensor on `device` that has these bytes as its elements. In a bool every byte but 0 is true.
Tensor tensor_of(std::shared_ptr<char[]> bytes, const Shape& shape, Dtype dtype, Device device,
                 const Strides& strides = {});

/// A name from a file for a message: in quotes, what isn't printable ASCII as \x1b, and not too long.
std::string quoted(std::string_view name);

}  // namespace torchlight::io
