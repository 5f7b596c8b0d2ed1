#include "nn/losses.h"

#include <torchlight/ops.h>

#include "support/text.h"

/// Losses of numbers against numbers.
namespace torchlight::nn::functional {

Tensor reduced(const char* op, const Tensor& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return losses.sum();
    case Reduction::mean: return losses.mean();
    case Reduction::batchmean: break;
  }
  throw Error(text(op, ": the reduction batchmean is kl_div's; take mean, sum or none"));
}

void require_equal_shapes(const char* op, const Tensor& input, const Tensor& target) {
  if (input.shape() != target.shape())
    throw Error(text(op, ": shapes differ: ", input.shape().str(), " and ", target.shape().str()));
}

void require_fitting_weight(const char* op, const char* name, const Tensor& weight,
                            const Tensor& input) {
  if (!weight.defined()) return;
  bool fits = weight.dim() <= input.dim();
  for (std::int64_t d = 1; fits && d <= weight.dim(); ++d)
    fits = weight.size(-d) == 1 || weight.size(-d) == input.size(-d);
  if (!fits)
    throw Error(text(op, ": ", name, " of shape ", weight.shape().str(),
                     " doesn't broadcast to the input's ", input.shape().str()));
}

Tensor mse_loss(const Tensor& input, const Tensor& target, LossOptions options) {
  require_equal_shapes("mse_loss", input, target);
  return reduced("mse_loss", (input - target).square(), options.reduction);
}

Tensor l1_loss(const Tensor& input, const Tensor& target, LossOptions options) {
  require_equal_shapes("l1_loss", input, target);
  return reduced("l1_loss", (input - target).abs(), options.reduction);
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, SmoothL1Options options) {
  const auto [reduction, beta] = options;
  if (!(beta >= 0)) throw Error(text("smooth_l1_loss: beta is ", beta, "; it can't be negative"));
  if (beta == 0) return l1_loss(input, target, {reduction});
  require_equal_shapes("smooth_l1_loss", input, target);
  const Tensor distance = (input - target).abs();
  // Both parts in one: up to beta this is distance² / 2 beta, from there on distance - beta / 2.
  const Tensor curved = distance.clamp({}, beta);
  return reduced("smooth_l1_loss", curved * (distance - curved * 0.5) / beta, reduction);
}

Tensor kl_div(const Tensor& input, const Tensor& target, KLDivOptions options) {
  require_equal_shapes("kl_div", input, target);
  Tensor losses;
  if (options.log_target) {
    losses = target.exp() * (target - input);
  } else {
    const Tensor positive = where(target == 0, 1, target);  // 0 log 0 is 0
    losses = target * (positive.log() - input);
  }
  if (options.reduction != Reduction::batchmean) return reduced("kl_div", losses, options.reduction);
  if (input.dim() == 0) throw Error("kl_div: batchmean needs a batch, dim 0; the input is ()");
  return losses.sum() / static_cast<double>(input.size(0));
}

}  // namespace torchlight::nn::functional
