#include <torchlight/nn/conv.h>

#include <torchlight/nn/functional.h>

#include "nn/affine.h"
#include "nn/windows.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

void check_groups(const char* op, std::int64_t in_channels, std::int64_t out_channels,
                  std::int64_t groups) {
  if (groups < 1 || in_channels % groups != 0 || out_channels % groups != 0)
    throw Error(text(op, ": ", in_channels, " input and ", out_channels,
                     " output channels can't be divided into ", groups, " groups"));
}

Pair kernel_of(const Tensor& weight) {
  if (weight.dim() != 4)
    throw Error(text("conv2d: the weight must be (out, in / groups, kernel height, kernel width), not ",
                     weight.shape().str()));
  return {weight.size(2), weight.size(3)};
}

void check_shapes(const Tensor& x, const Tensor& weight, const Tensor& bias, std::int64_t groups) {
  check_groups("conv2d", x.size(1), weight.size(0), groups);
  if (weight.size(1) * groups != x.size(1))
    throw Error(text("conv2d: weight ", weight.shape().str(), " with ", groups, " groups expects ",
                     weight.size(1) * groups, " input channels; the input is ", x.shape().str()));
  if (bias.defined() && bias.shape() != Shape(weight.size(0)))
    throw Error(
        text("conv2d: bias ", bias.shape().str(), " doesn't fit weight ", weight.shape().str()));
}

Shape weight_shape(std::int64_t in_channels, std::int64_t out_channels, Pair kernel,
                   std::int64_t groups) {
  check_groups("Conv2d", in_channels, out_channels, groups);
  return {out_channels, in_channels / groups, kernel.height, kernel.width};
}

/// Error for a size that no convolution can have.
Conv2dOptions checked(Pair kernel, const Conv2dOptions& options) {
  const auto at_least = [](const char* what, Pair size, std::int64_t least) {
    if (size.height < least || size.width < least)
      throw Error(text("Conv2d: ", what, " ", size.str(), "; must be at least ", least));
  };
  at_least("kernel_size", kernel, 1);
  at_least("stride", options.stride, 1);
  at_least("dilation", options.dilation, 1);
  at_least("padding", options.padding, 0);
  return options;
}

}  // namespace

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel_size,
               Conv2dOptions options)
    : weight(register_parameter(
          "weight",
          make_parameter(true, weight_shape(in_channels, out_channels, kernel_size, options.groups),
                         options.device, options.dtype))),
      bias(register_parameter(
          "bias", make_parameter(options.bias, out_channels, options.device, options.dtype))),
      options_(checked(kernel_size, options)) {
  reset_affine(weight, bias);
}

Tensor Conv2d::forward(const Tensor& x) {
  return functional::conv2d(x, weight, bias, options_.stride, options_.padding, options_.dilation,
                            options_.groups);
}

std::string Conv2d::extra_repr() const {
  std::string repr = text(weight.size(1) * options_.groups, ", ", weight.size(0),
                          ", kernel_size=", Pair(weight.size(2), weight.size(3)).str(),
                          ", stride=", options_.stride.str());
  if (options_.padding != Pair(0)) repr += ", padding=" + options_.padding.str();
  if (options_.dilation != Pair(1)) repr += ", dilation=" + options_.dilation.str();
  if (options_.groups != 1) repr += text(", groups=", options_.groups);
  if (!bias.defined()) repr += ", bias=False";
  return repr;
}

namespace functional {

// Every window becomes a row, so that one product (one for each group) does all of them.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, Pair stride, Pair padding,
              Pair dilation, std::int64_t groups) {
  const Window window{kernel_of(weight), stride, padding, dilation};
  check_window("conv2d", x, window);
  check_shapes(x, weight, bias, groups);

  const Tensor windows = windows_of("conv2d", pad2d(x, padding), window);
  const std::int64_t n = x.size(0), out = weight.size(0), area = weight.size(2) * weight.size(3);
  const std::int64_t height = windows.size(2), width = windows.size(3);
  const Tensor rows =
      windows.reshape({n, groups, weight.size(1), height, width, weight.size(2), weight.size(3)})
          .permute({1, 0, 3, 4, 2, 5, 6})
          .reshape({groups, n * height * width, weight.size(1) * area});
  const Tensor kernels = weight.reshape({groups, out / groups, weight.size(1) * area});
  Tensor y = matmul(rows, kernels.transpose()).permute({1, 0, 2}).reshape({n, height, width, out});
  if (bias.defined()) y = y + bias;
  return y.permute({0, 3, 1, 2});
}

}  // namespace functional
}  // namespace torchlight::nn
