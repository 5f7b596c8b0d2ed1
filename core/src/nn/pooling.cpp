#include <torchlight/nn/pooling.h>

#include <limits>

#include <torchlight/nn/functional.h>

#include "nn/windows.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

std::string repr_of(Pair kernel_size, std::optional<Pair> stride, Pair padding) {
  return text("kernel_size=", kernel_size.str(), ", stride=", stride.value_or(kernel_size).str(),
              ", padding=", padding.str());
}

/// Error unless every window of these has an element that isn't padding.
void check_pool(const char* op, const Window& window) {
  check_window(op, window);
  if (2 * window.padding.height > window.kernel.height ||
      2 * window.padding.width > window.kernel.width)
    throw Error(text(op, ": padding ", window.padding.str(), " is more than half of kernel ",
                     window.kernel.str(), ", so that some windows would be empty"));
}

void check_divisor(const char* op, std::optional<std::int64_t> divisor) {
  if (divisor == 0) throw Error(text(op, ": divisor_override is 0"));
}

}  // namespace

MaxPool2d::MaxPool2d(Pair kernel_size, MaxPool2dOptions options)
    : kernel_size_(kernel_size), options_(options) {
  check_pool("MaxPool2d",
             {kernel_size, options.stride.value_or(kernel_size), options.padding, options.dilation});
}

Tensor MaxPool2d::forward(const Tensor& x) {
  return functional::max_pool2d(x, kernel_size_, options_.stride, options_.padding, options_.dilation);
}

std::string MaxPool2d::extra_repr() const {
  return repr_of(kernel_size_, options_.stride, options_.padding) +
         ", dilation=" + options_.dilation.str();
}

AvgPool2d::AvgPool2d(Pair kernel_size, AvgPool2dOptions options)
    : kernel_size_(kernel_size), options_(options) {
  check_pool("AvgPool2d", {kernel_size, options.stride.value_or(kernel_size), options.padding, 1});
  check_divisor("AvgPool2d", options.divisor_override);
}

Tensor AvgPool2d::forward(const Tensor& x) {
  return functional::avg_pool2d(x, kernel_size_, options_.stride, options_.padding,
                                options_.count_include_pad, options_.divisor_override);
}

std::string AvgPool2d::extra_repr() const {
  return repr_of(kernel_size_, options_.stride, options_.padding);
}

namespace functional {

Tensor max_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride, Pair padding,
                  Pair dilation) {
  const Window window{kernel_size, stride.value_or(kernel_size), padding, dilation};
  check_window("max_pool2d", x, window);
  check_pool("max_pool2d", window);
  const Tensor padded = pad2d(x, padding, -std::numeric_limits<double>::infinity());
  const Tensor windows = windows_of("max_pool2d", padded, window).flatten(4, 5);
  return windows.gather(-1, windows.argmax(-1, true)).squeeze(-1);
}

Tensor avg_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride, Pair padding,
                  bool count_include_pad, std::optional<std::int64_t> divisor_override) {
  const Window window{kernel_size, stride.value_or(kernel_size), padding, 1};
  check_window("avg_pool2d", x, window);
  check_pool("avg_pool2d", window);
  check_divisor("avg_pool2d", divisor_override);
  const auto sums = [&](const Tensor& image) {
    return windows_of("avg_pool2d", pad2d(image, padding), window).sum({-2, -1});
  };
  if (divisor_override) return sums(x) / static_cast<double>(*divisor_override);
  if (count_include_pad || padding == Pair(0))
    return sums(x) / static_cast<double>(kernel_size.height * kernel_size.width);
  return sums(x) / sums(ones({1, 1, x.size(2), x.size(3)}, {.dtype = x.dtype(), .device = x.device()}));
}

}  // namespace functional
}  // namespace torchlight::nn
