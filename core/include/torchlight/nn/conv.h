#pragma once

#include <torchlight/nn/module.h>
#include <torchlight/nn/pair.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct Conv1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< zeros on each side
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// Cross-correlation of sequences: (N, in_channels, L) → (N, out_channels, L') with L' as in Conv2d, and
/// the same start.
class Conv1d : public Module {
 public:
  Conv1d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel_size,
         Conv1dOptions options = {});

  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  Tensor weight;  ///< (out_channels, in_channels / groups, kernel_size)
  Tensor bias;    ///< (out_channels), or undefined

 private:
  Conv1dOptions options_;
};

struct Conv2dOptions {
  Pair stride = 1;
  Pair padding = 0;  ///< zeros on each side
  Pair dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// Cross-correlation of images: (N, in_channels, H, W) → (N, out_channels, H', W') with
/// H' = (H + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down. Weight and bias start
/// uniform in ±1/sqrt(fan_in), where fan_in = in_channels / groups * kernel area.
class Conv2d : public Module {
 public:
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel_size,
         Conv2dOptions options = {});

  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  Tensor weight;  ///< (out_channels, in_channels / groups, kernel height, kernel width)
  Tensor bias;    ///< (out_channels), or undefined

 private:
  Conv2dOptions options_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
