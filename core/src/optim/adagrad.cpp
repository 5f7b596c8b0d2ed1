#include <torchlight/optim/adagrad.h>

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

}  // namespace torchlight::optim
