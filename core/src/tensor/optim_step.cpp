#include "tensor/optim_step.h"

#include <algorithm>
#include <vector>

#include <torchlight/ext/optim.h>

#include "dispatch/observer.h"
#include "dispatch/run.h"
#include "tensor/impl.h"

namespace torchlight {
namespace {

/// The items as arrays, if they may be changed by one call.
class Batch {
 public:
  explicit Batch(std::span<const StepItem> items) {
    views_.reserve(items.size() * 4);  // items_ points into it
    items_.reserve(items.size());
    const Array& first = array_of(items[0].param);
    for (const StepItem& item : items) {
      const Array& param = array_of(item.param);
      fits_ = fits_ && &param.device() == &first.device() && param.dtype() == first.dtype() &&
              !item.param.impl().base;  // a change in a view is its base's, too
      items_.push_back({add(param, param, true), add(array_of(item.grad), param, false), {}});
      for (int i = 0; i < 2; ++i)
        if (item.state[i].defined()) items_.back().state[i] = add(array_of(item.state[i]), param, true);
    }
    fits_ = fits_ && is_apart();
  }

  bool fits() const { return fits_; }
  const std::vector<tl_optim_item>& items() const { return items_; }

 private:
  const tl_view* add(const Array& array, const Array& param, bool is_changed) {
    fits_ = fits_ && array.is_contiguous() && array.shape() == param.shape() &&
            array.dtype() == param.dtype() && &array.device() == &param.device();
    if (array.numel() > 0) pieces_.push_back({memory_range(array), is_changed});
    return &views_.emplace_back(array.view());
  }

  /// Whether what is changed overlaps nothing else.
  bool is_apart() {
    std::ranges::sort(pieces_, [](const Piece& a, const Piece& b) {
      return std::pair(a.range.block, a.range.begin) < std::pair(b.range.block, b.range.begin);
    });
    MemoryRange any, changed;  // of those before: from the first byte to the last
    for (const Piece& piece : pieces_) {
      if (overlap(changed, piece.range) || (piece.is_changed && overlap(any, piece.range)))
        return false;
      for (MemoryRange* before : {&any, piece.is_changed ? &changed : &any}) {
        if (before->block != piece.range.block) *before = {piece.range.block, piece.range.begin, 0};
        before->end = std::max(before->end, piece.range.end);
      }
    }
    return true;
  }

  struct Piece {
    MemoryRange range;
    bool is_changed;
  };
  std::vector<tl_view> views_;
  std::vector<tl_optim_item> items_;
  std::vector<Piece> pieces_;
  bool fits_ = true;
};

std::uint32_t id_of(StepRule rule) {
  switch (rule) {
    case StepRule::sgd: return TL_OPTIM_SGD;
    case StepRule::adam: return TL_OPTIM_ADAM;
    case StepRule::adamw: return TL_OPTIM_ADAMW;
  }
  return 0;
}

const char* name_of(StepRule rule) {
  switch (rule) {
    case StepRule::sgd: return "sgd_step";
    case StepRule::adam: return "adam_step";
    case StepRule::adamw: return "adamw_step";
  }
  return "";
}

}  // namespace

bool try_step(const Step& step, std::span<const StepItem> items) {
  if (items.empty()) return true;
  OpenDevice& device = array_of(items[0].param).device();
  if (dispatch::is_observed() || !device.optim_table()) return false;
  const Batch batch(items);
  if (!batch.fits()) return false;
  tl_optim_args args{};
  args.head.size = sizeof args;
  args.fn = id_of(step.rule);
  if (step.is_first) args.flags |= TL_OPTIM_FIRST;
  if (step.nesterov) args.flags |= TL_OPTIM_NESTEROV;
  args.count = static_cast<std::uint32_t>(items.size());
  args.item_size = sizeof(tl_optim_item);
  args.items = batch.items().data();
  args.lr = step.lr;
  args.weight_decay = step.weight_decay;
  args.momentum = step.momentum;
  args.dampening = step.dampening;
  args.beta1 = step.beta1;
  args.beta2 = step.beta2;
  args.eps = step.eps;
  args.correction1 = step.correction1;
  args.correction2 = step.correction2;
  if (!dispatch::try_run(device, {dispatch::Primitive::optim, name_of(step.rule), &args.head}))
    return false;
  for (const StepItem& item : items) {
    array_of(item.param).storage().changed();
    for (const Tensor& state : item.state)
      if (state.defined()) array_of(state).storage().changed();
  }
  return true;
}

}  // namespace torchlight
