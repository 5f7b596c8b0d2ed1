#pragma once

#include <cstdint>
#include <span>

#include <torchlight/tensor.h>

namespace torchlight {

enum class StepRule : std::uint8_t { sgd, adam, adamw };

/// The numbers of one step, as torchlight.optim/1 names them.
struct Step {
  StepRule rule = StepRule::sgd;
  bool is_first = false;
  bool nesterov = false;
  double lr = 0, weight_decay = 0;
  double momentum = 0, dampening = 0;
  double beta1 = 0, beta2 = 0, eps = 0;
  double correction1 = 1, correction2 = 1;

  bool operator==(const Step&) const = default;
};

/// A parameter, its gradient, and what is remembered of it; undefined where the rule has none.
struct StepItem {
  Tensor param, grad;
  Tensor state[2];
};

/// Does the step for all items, in place and without history, where their device has torchlight.optim/1.
/// False, and nothing changed, where it hasn't or where the items aren't what that takes: compose the step
/// of operations, which gives the same bits. While operations are observed it is always composed, so that
/// what a trace shows can be replayed.
bool try_step(const Step& step, std::span<const StepItem> items);

}  // namespace torchlight
