#include <unordered_map>

#include <torchlight/ops.h>
#include <torchlight/optim/optimizer.h>

#include "optim/numbers.h"
#include "support/text.h"

namespace torchlight::optim {

StateDict Optimizer::state_dict() const {
  StateDict dict;
  std::size_t number = 0;
  for (const Group& group : groups_)
    for (const auto& [param, state] : group.entries) {
      const std::string prefix = text("state.", number++, ".");
      if (state.step == 0) continue;
      dict.push_back({prefix + "step", whole_number(state.step)});
      for (std::size_t i = 0; i < slot_names_.size(); ++i)
        if (state.slots[i].defined()) dict.push_back({prefix + slot_names_[i], state.slots[i].clone()});
    }
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (const Option& option : groups_[i].options)
      dict.push_back({text("group.", i, ".", option.name),
                      real_number(option.number ? *option.number : *option.flag)});
  return dict;
}

// Everything is read into copies first; only when nothing is wrong they replace what is there.
void Optimizer::load_state_dict(const StateDict& dict) {
  DictReader reader("optimizer: load_state_dict", dict);
  std::vector<ParamState> states;
  for (const Group& group : groups_)
    for (const Entry& entry : group.entries) {
      const std::string prefix = text("state.", states.size(), ".");
      ParamState state{0, std::vector<Tensor>(slot_names_.size())};
      if (const Tensor* step = reader.take(prefix + "step"))
        state.step = reader.count(prefix + "step", *step);
      for (std::size_t i = 0; i < slot_names_.size(); ++i)
        if (const Tensor* slot = reader.take(prefix + slot_names_[i]))
          state.slots[i] = reader.fitting(prefix + slot_names_[i], *slot, entry.param);
      states.push_back(std::move(state));
    }
  std::vector<double> values;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    for (const Option& option : groups_[i].options) {
      values.push_back(reader.number(text("group.", i, ".", option.name)));
      if (option.number) check(option, values.back());
    }
  reader.finish();

  const auto exchange_options = [&] {
    std::size_t next = 0;
    for (Group& group : groups_)
      for (const Option& option : group.options) {
        double& value = values[next++];
        const double before = option.number ? *option.number : *option.flag;
        if (option.number)
          *option.number = value;
        else
          *option.flag = value != 0;
        value = before;
      }
  };
  exchange_options();
  try {
    check_loaded(states);
  } catch (...) {
    exchange_options();
    throw;
  }
  std::size_t next = 0;
  for (Group& group : groups_)
    for (Entry& entry : group.entries) entry.state = std::move(states[next++]);
}

void Optimizer::check_loaded(const std::vector<ParamState>& states) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    check_options(i);
    for (std::size_t k = 0; k < groups_[i].entries.size(); ++k, ++number)
      for (std::size_t slot = 0; slot < slot_names_.size(); ++slot) {
        const bool is_there = states[number].slots[slot].defined();
        const bool wanted = states[number].step > 0 && uses_slot(slot, i);
        if (is_there == wanted || (is_there && states[number].step > 0)) continue;
        const std::string name = text("\"state.", number, ".", slot_names_[slot], "\"");
        throw Error(text("optimizer: load_state_dict: ", name,
                         wanted ? " is missing, though its parameter made "
                                : " is there, though its parameter made ",
                         states[number].step, " steps"));
      }
  }
}

}  // namespace torchlight::optim
