#include <torchlight/optim/optimizer.h>

#include <cmath>
#include <unordered_set>

#include <torchlight/autograd.h>

#include "support/text.h"

namespace torchlight::optim {

void Optimizer::add_group(const std::vector<Tensor>& params, std::vector<Option> options) {
  std::unordered_set<const TensorImpl*> known;
  for (const Group& group : groups_)
    for (const Entry& entry : group.entries) known.insert(&entry.param.impl());

  Group group{{}, std::move(options)};
  for (const Tensor& param : params) {
    if (!param.is_leaf())
      throw Error("optimizer: a parameter is the result of an operation; only leaves can be trained");
    if (!known.insert(&param.impl()).second) throw Error("optimizer: a parameter is given twice");
    group.entries.push_back({param, {0, std::vector<Tensor>(slot_names_.size())}});
  }
  if (group.entries.empty())
    throw Error(
        "optimizer: there are no parameters; a module has those that it got by register_parameter and "
        "register_module");
  for (const Option& option : group.options)
    if (option.number) check(option, *option.number);
  groups_.push_back(std::move(group));
}

void Optimizer::step() {
  const no_grad guard;
  std::vector<std::vector<Update>> updates(groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (auto& [param, state] : groups_[i].entries) {
      const Tensor grad = param.grad();
      if (!grad.defined()) continue;
      for (Tensor& slot : state.slots)
        if (slot.defined()) slot = slot.to(param.device()).to(param.dtype());
      updates[i].push_back({param, grad.detach(), state});
    }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (Update& update : updates[i]) ++update.state.step;
    update_group(updates[i], i);
  }
}

void Optimizer::update_group(std::span<Update> updates, std::size_t group) {
  for (auto& [param, grad, state] : updates) update(param, grad, state, group);
}

void Optimizer::zero_grad() {
  for (Group& group : groups_)
    for (Entry& entry : group.entries) entry.param.zero_grad();
}

const Optimizer::Option& Optimizer::lr_of(std::size_t group) const {
  if (group >= groups_.size())
    throw Error(text("optimizer: there is no group ", group, " among ", groups_.size()));
  return groups_[group].options[0];
}

double Optimizer::lr(std::size_t group) const { return *lr_of(group).number; }
void Optimizer::set_lr(double lr, std::size_t group) {
  const Option& option = lr_of(group);
  check(option, lr);
  *option.number = lr;
}

void Optimizer::check(const Option& option, double value) {
  if (value >= 0 && value < option.limit) return;
  throw Error(text("optimizer: ", option.name, " is ", value, "; it must be at least 0 and ",
                   std::isfinite(option.limit) ? text("below ", option.limit) : "finite"));
}

}  // namespace torchlight::optim
