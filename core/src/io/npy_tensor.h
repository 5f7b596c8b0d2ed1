#pragma once

#include <functional>
#include <span>

#include <torchlight/tensor.h>

#include "io/npy.h"

namespace torchlight::io {

/// Row-major on `device`, whatever the array's order is.
Tensor tensor_of(NpyArray array, Device device);

using ByteSink = std::function<void(std::span<const char>)>;
void write_npy(const Tensor& tensor, const ByteSink& sink);
/// How many bytes that writes. Error for a dtype that NumPy doesn't have.
std::uint64_t npy_bytes(const Tensor& tensor);

}  // namespace torchlight::io
