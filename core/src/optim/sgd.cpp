#include <torchlight/optim/sgd.h>

#include <limits>

#include <torchlight/ops.h>

#include "optim/together.h"

namespace torchlight::optim {

SGD::SGD(std::vector<Tensor> params, SGDOptions options)
    : SGD(std::vector<ParamGroup<SGDOptions>>{{std::move(params), options}}) {}

SGD::SGD(std::vector<ParamGroup<SGDOptions>> groups)
    : GroupedOptimizer({"momentum_buffer"}, groups, [](SGDOptions& own) {
        if (own.nesterov && (own.momentum == 0 || own.dampening != 0))
          throw Error("SGD: nesterov wants a momentum and no dampening");
        return std::vector<Option>{{"lr", &own.lr},
                                   {"momentum", &own.momentum},
                                   {"dampening", &own.dampening},
                                   {"weight_decay", &own.weight_decay},
                                   {"nesterov", nullptr, &own.nesterov}};
      }) {}

void SGD::update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) {
  const SGDOptions& o = options(group);
  Tensor direction = o.weight_decay == 0 ? grad : grad + param * o.weight_decay;
  if (o.momentum != 0) {
    Tensor& buffer = state.slots[0];
    if (buffer.defined())
      buffer.mul_(o.momentum).add_(direction * (1 - o.dampening));
    else
      buffer = direction.clone();
    direction = o.nesterov ? direction + buffer * o.momentum : buffer;
  }
  param.sub_(direction * o.lr);
}

bool SGD::uses_slot(std::size_t, std::size_t group) const { return options(group).momentum != 0; }

// 0 · lr is 0 unless lr is infinite in float32.
bool SGD::zero_changes_nothing(std::size_t group) const {
  const SGDOptions& o = options(group);
  return o.momentum == 0 && o.weight_decay == 0 && o.lr <= std::numeric_limits<float>::max();
}

void SGD::update_group(std::span<Update> updates, std::size_t group) {
  const SGDOptions& o = options(group);
  const auto describe = [&](const ParamState& state) {
    Step step{.rule = StepRule::sgd, .lr = o.lr, .weight_decay = o.weight_decay};
    step.momentum = o.momentum, step.dampening = o.dampening, step.nesterov = o.nesterov;
    step.is_first = o.momentum != 0 && !state.slots[0].defined();
    return step;
  };
  step_together(updates, o.momentum != 0 ? 1 : 0, describe,
                [&](Update& u) { update(u.param, u.grad, u.state, group); });
}

}  // namespace torchlight::optim
