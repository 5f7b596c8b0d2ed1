#include <torchlight/autograd.h>
#include <torchlight/ops.h>

#include "nn/labels.h"
#include "nn/losses.h"
#include "support/text.h"

/// Losses of yes or no.
namespace torchlight::nn::functional {
namespace {

constexpr double lowest_log = -100;     // as if no probability were below e^-100
constexpr double lowest_slope = 1e-12;  // of p (1 - p), by which the gradient divides

void require_probabilities(const Tensor& input) {
  if ((input >= 0 && input <= 1).all().item<bool>()) return;
  const std::vector<double> values = input.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0 && values[i] <= 1))
      throw Error(text("binary_cross_entropy: the input ", values[i], " at position ",
                       position(input.shape(), static_cast<std::int64_t>(i)),
                       " is not a probability, 0 … 1; for scores take "
                       "binary_cross_entropy_with_logits"));
}

Tensor log_at_least(const Tensor& x) { return x.log().clamp(lowest_log); }

Tensor bce_value(const Tensor& p, const Tensor& target) {
  return (target - 1) * log_at_least(1 - p) - target * log_at_least(p);
}

// The rule of log would give 0 / 0 at p = 0 and 1; there the slope is large, but finite.
Tensor bce(const Tensor& input, const Tensor& target) {
  const auto forward = [](FunctionContext& context, const std::vector<Tensor>& in) {
    context.save(in);
    return bce_value(in[0], in[1]);
  };
  const auto backward = [](FunctionContext& context, const Tensor& g) {
    const Tensor p = context.saved()[0], t = context.saved()[1];
    const Tensor slope = (p * (1 - p)).clamp(lowest_slope);
    return std::vector{g * (p - t) / slope, g * (log_at_least(1 - p) - log_at_least(p))};
  };
  return custom_function("binary_cross_entropy", {input, target}, forward, backward);
}

}  // namespace

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const BCEOptions& options) {
  constexpr const char* op = "binary_cross_entropy";
  require_equal_shapes(op, input, target);
  require_fitting_weight(op, "weight", options.weight, input);
  require_probabilities(input);
  Tensor losses = bce(input, target);
  if (options.weight.defined()) losses = losses * options.weight;
  return reduced(op, losses, options.reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BCEWithLogitsOptions& options) {
  constexpr const char* op = "binary_cross_entropy_with_logits";
  require_equal_shapes(op, input, target);
  require_fitting_weight(op, "weight", options.weight, input);
  require_fitting_weight(op, "pos_weight", options.pos_weight, input);
  // -log σ(x) = softplus(-x) and -log(1 - σ(x)) = softplus(-x) + x. Above the threshold softplus(x) is x to
  // the last bit of float64.
  const Tensor miss = softplus(-input, 1, 40);
  Tensor losses;
  if (options.pos_weight.defined())
    losses = (1 - target) * input + ((options.pos_weight - 1) * target + 1) * miss;
  else
    losses = (1 - target) * input + miss;
  if (options.weight.defined()) losses = losses * options.weight;
  return reduced(op, losses, options.reduction);
}

}  // namespace torchlight::nn::functional
