#include <torchlight/nn/loss.h>

#include "support/text.h"

namespace torchlight::nn {

// Weights are buffers: the options hold the same tensors, which `to` moves and load_state_dict fills.
#define TORCHLIGHT_PLAIN_LOSS(Name, Options, function)              \
  Name::Name(functional::Options options) : options_(options) {}    \
  Tensor Name::forward(const Tensor& input, const Tensor& target) { \
    return functional::function(input, target, options_);           \
  }
#define TORCHLIGHT_WEIGHTED_LOSS(Name, Options, function)           \
  Name::Name(functional::Options options) : options_(options) {     \
    register_buffer("weight", options_.weight);                     \
  }                                                                 \
  Tensor Name::forward(const Tensor& input, const Tensor& target) { \
    return functional::function(input, target, options_);           \
  }
TORCHLIGHT_PLAIN_LOSS(MSELoss, LossOptions, mse_loss)
TORCHLIGHT_PLAIN_LOSS(L1Loss, LossOptions, l1_loss)
TORCHLIGHT_PLAIN_LOSS(SmoothL1Loss, SmoothL1Options, smooth_l1_loss)
TORCHLIGHT_PLAIN_LOSS(KLDivLoss, KLDivOptions, kl_div)
TORCHLIGHT_WEIGHTED_LOSS(CrossEntropyLoss, CrossEntropyOptions, cross_entropy)
TORCHLIGHT_WEIGHTED_LOSS(NLLLoss, NLLOptions, nll_loss)
TORCHLIGHT_WEIGHTED_LOSS(BCELoss, BCEOptions, binary_cross_entropy)

BCEWithLogitsLoss::BCEWithLogitsLoss(functional::BCEWithLogitsOptions options) : options_(options) {
  register_buffer("weight", options_.weight);
  register_buffer("pos_weight", options_.pos_weight);
}
Tensor BCEWithLogitsLoss::forward(const Tensor& input, const Tensor& target) {
  return functional::binary_cross_entropy_with_logits(input, target, options_);
}

}  // namespace torchlight::nn
