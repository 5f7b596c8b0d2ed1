#include <torchlight/optim/adam.h>

#include <cmath>

#include <torchlight/ops.h>

#include "optim/together.h"

namespace torchlight::optim {
namespace {

template <class Options> std::vector<Optimizer::Option> describe(Options& own) {
  return {{"lr", &own.lr},
          {"beta1", &own.betas.first, nullptr, 1},
          {"beta2", &own.betas.second, nullptr, 1},
          {"eps", &own.eps},
          {"weight_decay", &own.weight_decay}};
}

/// The numbers of a parameter's step that is the `count`-th.
template <class Options> Step step_of(StepRule rule, const Options& o, std::int64_t count) {
  Step step{.rule = rule, .lr = o.lr, .weight_decay = o.weight_decay};
  step.beta1 = o.betas.first, step.beta2 = o.betas.second, step.eps = o.eps;
  step.correction1 = 1 - std::pow(o.betas.first, static_cast<double>(count));
  step.correction2 = 1 - std::pow(o.betas.second, static_cast<double>(count));
  return step;
}

// m and v of one parameter, the slots of the optimizers below.
void adam_step(Tensor& param, const Tensor& grad, std::vector<Tensor>& slots, const Step& step) {
  for (Tensor& slot : slots)
    if (!slot.defined()) slot = zeros_like(param);
  Tensor &m = slots[0], &v = slots[1];
  m.mul_(step.beta1).add_(grad * (1 - step.beta1));
  v.mul_(step.beta2).addcmul_(grad, grad, 1 - step.beta2);
  const Tensor denominator = sqrt(v).mul_(1 / std::sqrt(step.correction2)).add_(step.eps);
  param.sub_((m / denominator).mul_(step.lr / step.correction1));
}

}  // namespace

Adam::Adam(std::vector<Tensor> params, AdamOptions options)
    : Adam(std::vector<ParamGroup<AdamOptions>>{{std::move(params), options}}) {}

Adam::Adam(std::vector<ParamGroup<AdamOptions>> groups)
    : GroupedOptimizer({"exp_avg", "exp_avg_sq"}, groups, describe<AdamOptions>) {}

void Adam::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const AdamOptions& o = options(group);
  const Tensor decayed = o.weight_decay == 0 ? grad : grad + param * o.weight_decay;
  adam_step(param, decayed, state.slots, step_of(StepRule::adam, o, state.step));
}

void Adam::update_group(std::span<Update> updates, std::size_t group) {
  step_together(
      updates, 2,
      [&](const ParamState& state) { return step_of(StepRule::adam, options(group), state.step); },
      [&](Update& u) { update(u.param, u.grad, u.state, group); });
}

AdamW::AdamW(std::vector<Tensor> params, AdamWOptions options)
    : AdamW(std::vector<ParamGroup<AdamWOptions>>{{std::move(params), options}}) {}

AdamW::AdamW(std::vector<ParamGroup<AdamWOptions>> groups)
    : GroupedOptimizer({"exp_avg", "exp_avg_sq"}, groups, describe<AdamWOptions>) {}

void AdamW::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const AdamWOptions& o = options(group);
  param.mul_(1 - o.lr * o.weight_decay);
  adam_step(param, grad, state.slots, step_of(StepRule::adamw, o, state.step));
}

void AdamW::update_group(std::span<Update> updates, std::size_t group) {
  step_together(
      updates, 2,
      [&](const ParamState& state) { return step_of(StepRule::adamw, options(group), state.step); },
      [&](Update& u) { update(u.param, u.grad, u.state, group); });
}

}  // namespace torchlight::optim
