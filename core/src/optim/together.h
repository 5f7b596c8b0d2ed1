#pragma once

#include <span>
#include <vector>

#include <torchlight/ops.h>

#include "tensor/optim_step.h"

namespace torchlight::optim {

/// One call for parameters that need the same step, `slots` of whose slots it uses. False, and nothing
/// changed, where the device can't.
template <class Update>
bool try_together(const Step& step, std::span<Update> updates, std::size_t slots) {
  std::vector<StepItem> items;
  items.reserve(updates.size());
  for (const Update& update : updates) {
    StepItem& item = items.emplace_back(StepItem{update.param, update.grad, {}});
    for (std::size_t i = 0; i < slots; ++i) {
      const Tensor& slot = update.state.slots[i];
      item.state[i] = slot.defined()  ? slot
                      : step.is_first ? empty_like(update.param)
                                      : zeros_like(update.param);
    }
  }
  if (!try_step(step, items)) return false;
  for (std::size_t k = 0; k < updates.size(); ++k)
    for (std::size_t i = 0; i < slots; ++i) updates[k].state.slots[i] = std::move(items[k].state[i]);
  return true;
}

/// Neighbours of which `describe(state)` gives the same step are done together where the device can, the
/// others by compose(update).
template <class Update, class Describe, class Compose>
void step_together(std::span<Update> updates, std::size_t slots, const Describe& describe,
                   const Compose& compose) {
  for (std::size_t begin = 0, end = 0; begin < updates.size(); begin = end) {
    const Step step = describe(updates[begin].state);
    while (++end < updates.size() && describe(updates[end].state) == step) {
    }
    const std::span<Update> alike = updates.subspan(begin, end - begin);
    if (try_together(step, alike, slots)) continue;
    for (Update& update : alike) compose(update);
  }
}

}  // namespace torchlight::optim
