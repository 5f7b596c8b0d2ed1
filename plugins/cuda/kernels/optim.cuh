#pragma once

#include "math.cuh"
#include "pack.cuh"

/// Steps of the optimizers of ext/optim.h over many parameters at once: blockIdx.y is the parameter. Each
/// operation is rounded on its own, as by the primitives that a step is otherwise composed of: these files are
/// compiled without contraction.
namespace kernels {

struct OptimItem {
  void* param;
  const void* grad;
  void* state[2];  // NULL where the rule has none
  int64_t count;
  int64_t packs;  // 0 where an address doesn't allow them
};

constexpr int optim_items = 32;  // of one launch: arguments have 4 KB

struct OptimArguments {
  OptimItem item[optim_items];
  double number[8];  // the rule's own, each worked out in float64
  uint32_t decays, remembers, first, nesterov, decoupled, reserved;
};

/// One element and what belongs to it.
template <class T> struct OptimElement { T param, grad, state0, state1; };

/// number: lr, weight decay, momentum, 1 - dampening
template <class T> struct optim_sgd {
  static TL_DEVICE void step(OptimElement<T>& e, const OptimArguments& g) {
    const T lr = static_cast<T>(g.number[0]), decay = static_cast<T>(g.number[1]);
    const T momentum = static_cast<T>(g.number[2]), undampened = static_cast<T>(g.number[3]);
    T way = e.grad;
    if (g.decays) way = way + e.param * decay;
    if (g.remembers) {
      e.state0 = g.first ? way : e.state0 * momentum + way * undampened;
      way = g.nesterov ? way + e.state0 * momentum : e.state0;
    }
    e.param = e.param - way * lr;
  }
};

/// number: weight decay (decoupled: 1 - lr weight decay), beta1, 1 - beta1, beta2, 1 - beta2,
/// 1 / sqrt(correction2), eps, lr / correction1
template <class T> struct optim_adam {
  static TL_DEVICE void step(OptimElement<T>& e, const OptimArguments& g) {
    T n[8];
    TL_UNROLL for (int i = 0; i < 8; ++i) n[i] = static_cast<T>(g.number[i]);
    if (g.decoupled) e.param = e.param * n[0];
    const T grad = g.decays ? e.grad + e.param * n[0] : e.grad;
    e.state0 = e.state0 * n[1] + grad * n[2];
    e.state1 = e.state1 * n[3] + (n[4] * grad) * grad;
    e.param = e.param - e.state0 / (sqrt_of(e.state1) * n[5] + n[6]) * n[7];
  }
};

#if TL_ON_DEVICE

template <class T> TL_DEVICE Pack<T> load_or_zero(const T* from, int64_t i) {
  return from ? load_pack(from + i * pack_size) : Pack<T>{};
}

template <class Rule, class T> TL_DEVICE void optim_step(const OptimArguments& g) {
  const OptimItem& item = g.item[blockIdx.y];
  T* const param = static_cast<T*>(item.param);
  T* const state0 = static_cast<T*>(item.state[0]);
  T* const state1 = static_cast<T*>(item.state[1]);
  const T* const grad = static_cast<const T*>(item.grad);
  for (int64_t i = first_index(); i < item.packs; i += index_step()) {
    Pack<T> p = load_pack(param + i * pack_size), s0 = load_or_zero(state0, i),
            s1 = load_or_zero(state1, i);
    const Pack<T> d = load_pack(grad + i * pack_size);
    TL_UNROLL for (int j = 0; j < pack_size; ++j) {
      OptimElement<T> e = {p.of[j], d.of[j], s0.of[j], s1.of[j]};
      Rule::step(e, g);
      p.of[j] = e.param, s0.of[j] = e.state0, s1.of[j] = e.state1;
    }
    store_pack(param + i * pack_size, p);
    if (state0) store_pack(state0 + i * pack_size, s0);
    if (state1) store_pack(state1 + i * pack_size, s1);
  }
  for (int64_t i = item.packs * pack_size + first_index(); i < item.count; i += index_step()) {
    OptimElement<T> e = {param[i], grad[i], state0 ? state0[i] : T(0), state1 ? state1[i] : T(0)};
    Rule::step(e, g);
    param[i] = e.param;
    if (state0) state0[i] = e.state0;
    if (state1) state1[i] = e.state1;
  }
}

#endif

}  // namespace kernels
