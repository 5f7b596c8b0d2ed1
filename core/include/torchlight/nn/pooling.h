#pragma once

#include <torchlight/nn/module.h>
#include <torchlight/nn/pair.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct MaxPool2dOptions {
  std::optional<Pair> stride = {};  ///< the kernel's size
  Pair padding = 0;                 ///< at most half of the kernel
  Pair dilation = 1;
};

/// The maximum of each window: (N, C, H, W) → (N, C, H', W'). The gradient goes to the first maximum.
class MaxPool2d : public Module {
 public:
  MaxPool2d(Pair kernel_size, MaxPool2dOptions options = {});

  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  Pair kernel_size_;
  MaxPool2dOptions options_;
};

struct AvgPool2dOptions {
  std::optional<Pair> stride = {};  ///< the kernel's size
  Pair padding = 0;                 ///< zeros, at most half of the kernel
  bool count_include_pad = true;    ///< whether they count in the mean
  std::optional<std::int64_t> divisor_override =
      {};  ///< to divide the sum by, whatever the window holds
};

/// The mean of each window: (N, C, H, W) → (N, C, H', W').
class AvgPool2d : public Module {
 public:
  AvgPool2d(Pair kernel_size, AvgPool2dOptions options = {});

  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  Pair kernel_size_;
  AvgPool2dOptions options_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
