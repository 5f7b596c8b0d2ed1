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

void check_weight_dims(const char* op, const Tensor& weight, int dims, const char* kernel) {
  if (weight.dim() != dims)
    throw Error(
        text(op, ": the weight must be (out, in / groups, ", kernel, "), not ", weight.shape().str()));
}

void check_shapes(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  std::int64_t groups) {
  check_groups(op, x.size(1), weight.size(0), groups);
  if (weight.size(1) * groups != x.size(1))
    throw Error(text(op, ": weight ", weight.shape().str(), " with ", groups, " groups expects ",
                     weight.size(1) * groups, " input channels; the input is ", x.shape().str()));
  if (bias.defined() && bias.shape() != Shape(weight.size(0)))
    throw Error(text(op, ": bias ", bias.shape().str(), " doesn't fit weight ", weight.shape().str()));
}

Shape weight_shape(const char* op, std::int64_t in_channels, std::int64_t out_channels, Shape kernel,
                   std::int64_t groups) {
  check_groups(op, in_channels, out_channels, groups);
  kernel.insert(0, in_channels / groups);
  kernel.insert(0, out_channels);
  return kernel;
}

template <class Options>
Tensor make_weight(const char* op, std::int64_t in_channels, std::int64_t out_channels,
                   const Shape& kernel, const Options& options) {
  return make_parameter(true, weight_shape(op, in_channels, out_channels, kernel, options.groups),
                        options.device, options.dtype);
}

template <class Options> Tensor make_bias(std::int64_t out_channels, const Options& options) {
  return make_parameter(options.bias, out_channels, options.device, options.dtype);
}

/// Error for a size that no convolution can have.
template <class Size, class Options>
Options checked(const char* op, const Size& kernel, const Options& options) {
  check_window(op, {kernel, options.stride, options.padding, options.dilation});
  return options;
}

std::string shown(Pair size) { return size.str(); }
std::string shown(std::int64_t size) { return Shape(size).str(); }

template <class Size, class Options>
std::string repr_of(const Tensor& weight, const Tensor& bias, const Size& kernel, const Options& o) {
  std::string repr = text(weight.size(1) * o.groups, ", ", weight.size(0),
                          ", kernel_size=", shown(kernel), ", stride=", shown(o.stride));
  if (o.padding != Size(0)) repr += ", padding=" + shown(o.padding);
  if (o.dilation != Size(1)) repr += ", dilation=" + shown(o.dilation);
  if (o.groups != 1) repr += text(", groups=", o.groups);
  if (!bias.defined()) repr += ", bias=False";
  return repr;
}

/// Every window becomes a row, so that one product (one for each group) does all of them.
Tensor convolved(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 const Window& window, std::int64_t groups) {
  const Tensor windows = windows_of(op, functional::pad2d(x, window.padding), window);
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

}  // namespace

Conv1d::Conv1d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel_size,
               Conv1dOptions options)
    : weight(register_parameter(
          "weight", make_weight("Conv1d", in_channels, out_channels, kernel_size, options))),
      bias(register_parameter("bias", make_bias(out_channels, options))),
      options_(checked("Conv1d", kernel_size, options)) {
  reset_affine(weight, bias);
}

Tensor Conv1d::forward(const Tensor& x) {
  return functional::conv1d(x, weight, bias, options_.stride, options_.padding, options_.dilation,
                            options_.groups);
}

std::string Conv1d::extra_repr() const { return repr_of(weight, bias, weight.size(2), options_); }

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel_size,
               Conv2dOptions options)
    : weight(
          register_parameter("weight", make_weight("Conv2d", in_channels, out_channels,
                                                   {kernel_size.height, kernel_size.width}, options))),
      bias(register_parameter("bias", make_bias(out_channels, options))),
      options_(checked("Conv2d", kernel_size, options)) {
  reset_affine(weight, bias);
}

Tensor Conv2d::forward(const Tensor& x) {
  return functional::conv2d(x, weight, bias, options_.stride, options_.padding, options_.dilation,
                            options_.groups);
}

std::string Conv2d::extra_repr() const {
  return repr_of(weight, bias, Pair(weight.size(2), weight.size(3)), options_);
}

namespace functional {

// An image of one row.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, std::int64_t stride,
              std::int64_t padding, std::int64_t dilation, std::int64_t groups) {
  check_weight_dims("conv1d", weight, 3, "kernel");
  if (x.dim() != 3) throw Error(text("conv1d: the input must be (N, C, L), not ", x.shape().str()));
  const Window window{{1, weight.size(2)}, {1, stride}, {0, padding}, {1, dilation}};
  check_window("conv1d", x.unsqueeze(2), window);
  check_shapes("conv1d", x, weight, bias, groups);
  return convolved("conv1d", x.unsqueeze(2), weight.unsqueeze(2), bias, window, groups).squeeze(2);
}

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, Pair stride, Pair padding,
              Pair dilation, std::int64_t groups) {
  check_weight_dims("conv2d", weight, 4, "kernel height, kernel width");
  const Window window{{weight.size(2), weight.size(3)}, stride, padding, dilation};
  check_window("conv2d", x, window);
  check_shapes("conv2d", x, weight, bias, groups);
  return convolved("conv2d", x, weight, bias, window, groups);
}

}  // namespace functional
}  // namespace torchlight::nn
