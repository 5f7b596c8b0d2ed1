#include <torchlight/optim/optimizer.h>

#include <cmath>
#include <optional>
#include <unordered_set>

#include <torchlight/autograd.h>

#include "support/text.h"
#include "tensor/row_step.h"

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
  std::vector<std::vector<std::optional<Rows>>> rows(groups_.size());  // of each update; none: all
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (Entry& entry : groups_[i].entries) {
      auto& [param, state] = entry;
      std::optional<TouchedRows> touched;
      if (may_step_by_rows(entry, i)) touched = touched_rows(param);
      const Tensor grad = touched ? touched->grad : param.grad();
      if (!grad.defined()) continue;
      for (Tensor& slot : state.slots)
        if (slot.defined()) slot = slot.to(param.device()).to(param.dtype());
      updates[i].push_back({param, grad.detach(), state});
      rows[i].push_back(touched ? std::optional(std::move(touched->rows)) : std::nullopt);
    }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (Update& update : updates[i]) ++update.state.step;
    update_in_order(updates[i], rows[i], i);
  }
}

// Parameters may share memory, so none overtakes another.
void Optimizer::update_in_order(std::span<Update> updates, std::span<const std::optional<Rows>> rows,
                                std::size_t group) {
  std::size_t begin = 0;
  do {
    std::size_t end = begin;
    while (end < updates.size() && !rows[end]) ++end;
    if (end > begin || updates.empty()) update_group(updates.subspan(begin, end - begin), group);
    if (end < updates.size()) update_rows(updates[end], *rows[end], group);
    begin = end + 1;
  } while (begin < updates.size());
}

bool Optimizer::may_step_by_rows(const Entry& entry, std::size_t group) const {
  const auto& [param, state] = entry;
  bool may = zero_changes_nothing(group);
  for (std::size_t i = 0; may && i < slot_names_.size(); ++i) {
    const Tensor& slot = state.slots[i];  // the first step makes it, for all rows
    may = !uses_slot(i, group) ||
          (slot.defined() && slot.is_contiguous() && slot.shape() == param.shape() &&
           slot.dtype() == param.dtype() && slot.device() == param.device());
  }
  return may;
}

void Optimizer::update_rows(Update& whole, const Rows& rows, std::size_t group) {
  Tensor param = take_rows(whole.param, rows);
  ParamState state{whole.state.step, std::vector<Tensor>(slot_names_.size())};
  for (std::size_t i = 0; i < slot_names_.size(); ++i)
    if (uses_slot(i, group)) state.slots[i] = take_rows(whole.state.slots[i], rows);
  Update part{param, whole.grad, state};
  update_group({&part, 1}, group);
  put_rows(whole.param, rows, param);
  for (std::size_t i = 0; i < slot_names_.size(); ++i)
    if (state.slots[i].defined()) put_rows(whole.state.slots[i], rows, state.slots[i]);
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
