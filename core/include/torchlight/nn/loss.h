#pragma once

#include <torchlight/nn/functional/losses.h>
#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
/// The losses as modules; what each computes is said at its function in functional/losses.h. Weights given
/// as options are buffers: they move with the module and are part of its state.
namespace torchlight::nn {

using functional::Reduction;

/// What they have in common: loss(input, target).
class Loss : public Module {
 public:
  using Module::forward;
  virtual Tensor forward(const Tensor& input, const Tensor& target) = 0;
  Tensor operator()(const Tensor& input, const Tensor& target) { return forward(input, target); }
};

#define TORCHLIGHT_LOSS(Name, Options)                                  \
  class Name : public Loss {                                            \
   public:                                                              \
    explicit Name(functional::Options options = {});                    \
    using Loss::forward;                                                \
    Tensor forward(const Tensor& input, const Tensor& target) override; \
                                                                        \
   private:                                                             \
    functional::Options options_;                                       \
  };
TORCHLIGHT_LOSS(MSELoss, LossOptions)
TORCHLIGHT_LOSS(L1Loss, LossOptions)
TORCHLIGHT_LOSS(SmoothL1Loss, SmoothL1Options)
TORCHLIGHT_LOSS(CrossEntropyLoss, CrossEntropyOptions)
TORCHLIGHT_LOSS(NLLLoss, NLLOptions)
TORCHLIGHT_LOSS(BCELoss, BCEOptions)
TORCHLIGHT_LOSS(BCEWithLogitsLoss, BCEWithLogitsOptions)
TORCHLIGHT_LOSS(KLDivLoss, KLDivOptions)
#undef TORCHLIGHT_LOSS

}  // namespace torchlight::nn
#pragma GCC visibility pop
