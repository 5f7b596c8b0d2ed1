#include <torchlight/optim/rmsprop.h>

#include <torchlight/ops.h>

namespace torchlight::optim {
namespace {

enum Slot { square_avg, momentum_buffer, grad_avg };

}  // namespace

RMSprop::RMSprop(std::vector<Tensor> params, RMSpropOptions options)
    : RMSprop(std::vector<ParamGroup<RMSpropOptions>>{{std::move(params), options}}) {}

RMSprop::RMSprop(std::vector<ParamGroup<RMSpropOptions>> groups)
    : GroupedOptimizer({"square_avg", "momentum_buffer", "grad_avg"}, groups, [](RMSpropOptions& own) {
        return std::vector<Option>{{"lr", &own.lr},
                                   {"alpha", &own.alpha},
                                   {"eps", &own.eps},
                                   {"weight_decay", &own.weight_decay},
                                   {"momentum", &own.momentum},
                                   {"centered", nullptr, &own.centered}};
      }) {}

void RMSprop::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const RMSpropOptions& o = options(group);
  const auto slot = [&](Slot which) -> Tensor& {
    Tensor& tensor = state.slots[which];
    if (!tensor.defined()) tensor = zeros_like(param);
    return tensor;
  };
  const Tensor g = o.weight_decay == 0 ? grad : grad + param * o.weight_decay;
  Tensor& mean_square = slot(square_avg).mul_(o.alpha).addcmul_(g, g, 1 - o.alpha);
  Tensor variance = mean_square;
  if (o.centered) {
    const Tensor& mean = slot(grad_avg).mul_(o.alpha).add_(g * (1 - o.alpha));
    variance = (mean_square - mean * mean).clamp(0);  // rounding could leave it below
  }
  Tensor direction = g / sqrt(variance).add_(o.eps);
  if (o.momentum != 0) direction = slot(momentum_buffer).mul_(o.momentum).add_(direction);
  param.sub_(direction * o.lr);
}

bool RMSprop::uses_slot(std::size_t slot, std::size_t group) const {
  const RMSpropOptions& o = options(group);
  return slot == square_avg || (slot == momentum_buffer ? o.momentum != 0 : o.centered);
}

}  // namespace torchlight::optim
