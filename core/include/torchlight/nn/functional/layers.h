#pragma once

#include <torchlight/nn/pair.h>
#include <torchlight/tensor.h>

#pragma GCC visibility push(default)
/// Each as the module of the same name, where shapes and errors are described.
namespace torchlight::nn::functional {

/// x @ weight.t() + bias, weight (out, in).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

/// Rows of the table `weight` (rows, dim): int64 indices of any shape (…) → (…, dim). Row padding_idx gets
/// no gradient; a negative one counts from the end. Error naming an index outside and its position.
Tensor embedding(const Tensor& indices, const Tensor& weight,
                 std::optional<std::int64_t> padding_idx = {});

/// x (N, in, L), weight (out, in / groups, kernel), bias (out).
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, std::int64_t stride = 1,
              std::int64_t padding = 0, std::int64_t dilation = 1, std::int64_t groups = 1);
/// x (N, in, H, W), weight (out, in / groups, kernel height, kernel width), bias (out).
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Pair stride = 1,
              Pair padding = 0, Pair dilation = 1, std::int64_t groups = 1);

Tensor max_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride = {}, Pair padding = 0,
                  Pair dilation = 1);
Tensor avg_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride = {}, Pair padding = 0,
                  bool count_include_pad = true, std::optional<std::int64_t> divisor_override = {});

/// Draws from default_generator(). Error for a probability outside 0 … 1.
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true);

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
