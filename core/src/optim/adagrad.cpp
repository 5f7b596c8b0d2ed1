#include <torchlight/optim/adagrad.h>

#include <cmath>
#include <limits>

#include <torchlight/ops.h>

namespace torchlight::optim {

Adagrad::Adagrad(std::vector<Tensor> params, AdagradOptions options)
    : Adagrad(std::vector<ParamGroup<AdagradOptions>>{{std::move(params), options}}) {}

Adagrad::Adagrad(std::vector<ParamGroup<AdagradOptions>> groups)
    : GroupedOptimizer({"sum"}, groups, [](AdagradOptions& own) {
        return std::vector<Option>{{"lr", &own.lr},
                                   {"lr_decay", &own.lr_decay},
                                   {"weight_decay", &own.weight_decay},
                                   {"initial_accumulator_value", &own.initial_accumulator_value},
                                   {"eps", &own.eps}};
      }) {}

void Adagrad::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const AdagradOptions& o = options(group);
  const Tensor g = o.weight_decay == 0 ? grad : grad + param * o.weight_decay;
  Tensor& sum = state.slots[0];
  if (!sum.defined()) sum = full_like(param, o.initial_accumulator_value);
  sum.addcmul_(g, g, 1);
  const double lr = o.lr / (1 + static_cast<double>(state.step - 1) * o.lr_decay);
  param.sub_((g / sqrt(sum).add_(o.eps)).mul_(lr));
}

// 0 / (sqrt(sum) + eps), unless eps is 0, also in float32. (A sum of -0 becomes 0.)
bool Adagrad::zero_changes_nothing(std::size_t group) const {
  using Float = std::numeric_limits<float>;
  const AdagradOptions& o = options(group);
  return o.weight_decay == 0 && o.eps >= Float::min() && o.lr <= Float::max() &&
         !std::signbit(o.initial_accumulator_value);
}

}  // namespace torchlight::optim
