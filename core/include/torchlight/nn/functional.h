#pragma once

#include <optional>

#include <torchlight/nn/pair.h>
#include <torchlight/ops.h>

#pragma GCC visibility push(default)
/// The layers and losses as functions of their inputs and weights.
namespace torchlight::nn::functional {

using torchlight::log_softmax;
using torchlight::softmax;

// ---- layers: see the modules of the same names

/// x @ weight.t() + bias, weight (out, in).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Pair stride = 1,
              Pair padding = 0, Pair dilation = 1, std::int64_t groups = 1);
Tensor max_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride = {}, Pair padding = 0,
                  Pair dilation = 1);
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true);
/// The last two dims with `value` around: (…, H, W) → (…, H + 2 height, W + 2 width).
Tensor pad2d(const Tensor& x, Pair padding, double value = 0);

// ---- losses

enum class Reduction { none, mean, sum };

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

/// -log of the softmax over dim 1 at the target class, in the stable form: input (N, C, …) of scores,
/// target (N, …) of int64 in [0, C). Error naming the label, its position and C where one is outside.
Tensor cross_entropy(const Tensor& input, const Tensor& target, LossOptions options = {});
/// The same for an input of log-probabilities.
Tensor nll_loss(const Tensor& input, const Tensor& target, LossOptions options = {});
/// (input - target)², of equal shapes.
Tensor mse_loss(const Tensor& input, const Tensor& target, LossOptions options = {});

}  // namespace torchlight::nn::functional
#pragma GCC visibility pop
