#include "kernels/optim.cuh"

#include <algorithm>
#include <cmath>

#include "memory.h"
#include "primitives.h"

namespace cuda_backend {
namespace {

/// The rule's numbers, each factor of numbers alone worked out in double.
kernels::OptimArguments rule_of(const tl_optim_args& a) noexcept {
  kernels::OptimArguments g{};
  if (a.fn == TL_OPTIM_SGD) {
    const double number[] = {a.lr, a.weight_decay, a.momentum, 1 - a.dampening};
    std::copy(std::begin(number), std::end(number), g.number);
    g.decays = a.weight_decay != 0;
    g.remembers = a.momentum != 0;
    g.first = (a.flags & TL_OPTIM_FIRST) != 0;
    g.nesterov = (a.flags & TL_OPTIM_NESTEROV) != 0;
    return g;
  }
  g.decoupled = a.fn == TL_OPTIM_ADAMW;
  g.decays = !g.decoupled && a.weight_decay != 0;
  const double number[] = {g.decoupled ? 1 - a.lr * a.weight_decay : a.weight_decay,
                           a.beta1,
                           1 - a.beta1,
                           a.beta2,
                           1 - a.beta2,
                           1 / std::sqrt(a.correction2),
                           a.eps,
                           a.lr / a.correction1};
  std::copy(std::begin(number), std::end(number), g.number);
  return g;
}

int64_t count_of(const tl_view& view) noexcept {
  int64_t count = 1;
  for (uint32_t d = 0; d < view.rank; ++d) count *= view.extent[d];
  return count;
}

/// The parameter with those of its states that the rule has.
kernels::OptimItem item_of(const tl_optim_item& item, int states) noexcept {
  const int64_t bytes = item.param->dtype.bits / 8,
                word = std::min<int64_t>(16, bytes * kernels::pack_size);
  kernels::OptimItem result{};
  result.param = address_of(*item.param);
  result.grad = address_of(*item.grad);
  result.count = count_of(*item.param);
  uintptr_t addresses =
      reinterpret_cast<uintptr_t>(result.param) | reinterpret_cast<uintptr_t>(result.grad);
  for (int k = 0; k < states; ++k) {
    result.state[k] = address_of(*item.state[k]);
    addresses |= reinterpret_cast<uintptr_t>(result.state[k]);
  }
  result.packs = addresses % static_cast<uintptr_t>(word) == 0 ? result.count / kernels::pack_size : 0;
  return result;
}

int32_t launch(Call& call, const tl_optim_args& args, const kernels::OptimArguments& g, int64_t items,
               int64_t longest) noexcept {
  static Kernel kernel[2][types];
  if (items == 0) return TL_OK;
  const bool adam = args.fn != TL_OPTIM_SGD;
  const tl_dtype dtype = args.items[0].param->dtype;
  const auto describe = [&](KernelName& n) {
    const char* const rule = adam ? "adam" : "sgd";
    n.file = "optim.cu";
    std::snprintf(n.selection, sizeof n.selection, "-DTL_SELECT_FN=%s -DTL_SELECT_TYPE=%s", rule,
                  type_name(dtype));
    std::snprintf(n.name, sizeof n.name, "tl_optim_%s_%s", rule, type_name(dtype));
  };
  Shape shape = shape_of(call.device(), longest, kernels::pack_size);
  shape.groups = items;
  return call.launch(kernel[adam][type_index(dtype)], describe, shape, g);
}

}  // namespace

int32_t optim(Call& call, const tl_optim_args& args) noexcept {
  const int states = args.fn != TL_OPTIM_SGD ? 2 : args.momentum != 0 ? 1 : 0;
  for (uint32_t i = 0; i < args.count; ++i) {  // all of them before any is changed
    const tl_optim_item& item = args.items[i];
    if (int32_t status = check_memory(&call.device(),
                                      {item.param, item.grad, states > 0 ? item.state[0] : nullptr,
                                       states > 1 ? item.state[1] : nullptr},
                                      call.error()))
      return status;
  }
  kernels::OptimArguments g = rule_of(args);
  int64_t items = 0, longest = 0;
  for (uint32_t i = 0; i < args.count; ++i) {
    const kernels::OptimItem item = item_of(args.items[i], states);
    if (item.count == 0) continue;
    g.item[items++] = item;
    longest = std::max(longest, item.count);
    if (items < kernels::optim_items) continue;
    if (int32_t status = launch(call, args, g, items, longest)) return status;
    items = longest = 0;
  }
  return launch(call, args, g, items, longest);
}

}  // namespace cuda_backend
