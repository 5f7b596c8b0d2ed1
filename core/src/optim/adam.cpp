#include <torchlight/optim/adam.h>

#include <cmath>

#include <torchlight/ops.h>

namespace torchlight::optim {
namespace {

template <class Options> std::vector<Optimizer::Option> describe(Options& own) {
  return {{"lr", &own.lr},
          {"beta1", &own.betas.first, nullptr, 1},
          {"beta2", &own.betas.second, nullptr, 1},
          {"eps", &own.eps},
          {"weight_decay", &own.weight_decay}};
}

// m and v of one parameter, the slots of the optimizers below.
void adam_step(Tensor& param, const Tensor& grad, std::vector<Tensor>& slots, std::int64_t step,
               double lr, Betas betas, double eps) {
  for (Tensor& slot : slots)
    if (!slot.defined()) slot = zeros_like(param);
  Tensor &m = slots[0], &v = slots[1];
  m.mul_(betas.first).add_(grad * (1 - betas.first));
  v.mul_(betas.second).addcmul_(grad, grad, 1 - betas.second);

  const double t = static_cast<double>(step);
  const double m_correction = 1 - std::pow(betas.first, t);
  const double v_correction = 1 - std::pow(betas.second, t);
  const Tensor denominator = sqrt(v).mul_(1 / std::sqrt(v_correction)).add_(eps);
  param.sub_((m / denominator).mul_(lr / m_correction));
}

}  // namespace

Adam::Adam(std::vector<Tensor> params, AdamOptions options)
    : Adam(std::vector<ParamGroup<AdamOptions>>{{std::move(params), options}}) {}

Adam::Adam(std::vector<ParamGroup<AdamOptions>> groups)
    : GroupedOptimizer({"exp_avg", "exp_avg_sq"}, groups, describe<AdamOptions>) {}

void Adam::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const AdamOptions& o = options(group);
  const Tensor decayed = o.weight_decay == 0 ? grad : grad + param * o.weight_decay;
  adam_step(param, decayed, state.slots, state.step, o.lr, o.betas, o.eps);
}

AdamW::AdamW(std::vector<Tensor> params, AdamWOptions options)
    : AdamW(std::vector<ParamGroup<AdamWOptions>>{{std::move(params), options}}) {}

AdamW::AdamW(std::vector<ParamGroup<AdamWOptions>> groups)
    : GroupedOptimizer({"exp_avg", "exp_avg_sq"}, groups, describe<AdamWOptions>) {}

void AdamW::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const AdamWOptions& o = options(group);
  param.mul_(1 - o.lr * o.weight_decay);
  adam_step(param, grad, state.slots, state.step, o.lr, o.betas, o.eps);
}

}  // namespace torchlight::optim
