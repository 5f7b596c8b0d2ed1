#pragma once

#include <torchlight/nn/pair.h>
#include <torchlight/tensor.h>

namespace torchlight::nn {

/// How a kernel moves over an image.
struct Window {
  Pair kernel = 1;
  Pair stride = 1;
  Pair padding = 0;
  Pair dilation = 1;
};

/// The windows of an image that is padded already, as a view: (N, C, H, W) → (N, C, H', W', kernel height,
/// kernel width). Error, in the name of `op`, where the kernel doesn't fit.
Tensor windows_of(const char* op, const Tensor& padded, const Window& window);

/// Error, in the name of `op`, unless the window's numbers make sense.
void check_window(const char* op, const Window& window);
/// The same, and that x is (N, C, H, W).
void check_window(const char* op, const Tensor& x, const Window& window);

}  // namespace torchlight::nn
