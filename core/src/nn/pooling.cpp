#include <torchlight/nn/pooling.h>

#include <limits>

#include <torchlight/nn/functional.h>

#include "nn/windows.h"
#include "support/text.h"

namespace torchlight::nn {

Tensor MaxPool2d::forward(const Tensor& x) {
  return functional::max_pool2d(x, kernel_size_, options_.stride, options_.padding, options_.dilation);
}

std::string MaxPool2d::extra_repr() const {
  return text("kernel_size=", kernel_size_.str(),
              ", stride=", options_.stride.value_or(kernel_size_).str(),
              ", padding=", options_.padding.str(), ", dilation=", options_.dilation.str());
}

namespace functional {

Tensor max_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride, Pair padding,
                  Pair dilation) {
  const Window window{kernel_size, stride.value_or(kernel_size), padding, dilation};
  check_window("max_pool2d", x, window);
  if (2 * padding.height > kernel_size.height || 2 * padding.width > kernel_size.width)
    throw Error(text("max_pool2d: padding ", padding.str(), " is more than half of kernel ",
                     kernel_size.str(), ", so that some windows would be empty"));
  const Tensor padded = pad2d(x, padding, -std::numeric_limits<double>::infinity());
  const Tensor windows = windows_of("max_pool2d", padded, window).flatten(4, 5);
  return windows.gather(-1, windows.argmax(-1, true)).squeeze(-1);
}

}  // namespace functional
}  // namespace torchlight::nn
