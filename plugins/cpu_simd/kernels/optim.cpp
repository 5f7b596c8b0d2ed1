#include <torchlight/ext/optim.h>

#include <cmath>

#include "kernels/math.h"
#include "kernels/registers.h"
#include "kernels/views.h"
#include "parallel.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

/// A number of the call, worked out in double, as a register.
template <class T> CPU_SIMD_INLINE Vec<T> number(double x) noexcept { return splat(static_cast<T>(x)); }

/// Where a parameter and what belongs to it begin.
template <class T> struct Place {
  T* param;
  const T* grad;
  T *state0, *state1;
};

/// The rules of ext/optim.h: step(place, i, Whole{} or Part{…}) changes the elements of a register at i. Each
/// operation is rounded on its own, as by the primitives that a step is otherwise composed of.
template <class T> class Sgd {
 public:
  explicit Sgd(const tl_optim_args& a) noexcept
      : decays_(a.weight_decay != 0),
        remembers_(a.momentum != 0),
        first_(a.flags & TL_OPTIM_FIRST),
        nesterov_(a.flags & TL_OPTIM_NESTEROV),
        lr_(number<T>(a.lr)),
        decay_(number<T>(a.weight_decay)),
        momentum_(number<T>(a.momentum)),
        undampened_(number<T>(1 - a.dampening)) {}

  template <class N> CPU_SIMD_INLINE void step(const Place<T>& at, int64_t i, N n) const noexcept {
    const Vec<T> param = load(at.param + i, n);
    Vec<T> way = load(at.grad + i, n);
    if (decays_) way = way + param * decay_;
    if (remembers_) {
      const Vec<T> buffer = first_ ? way : load<T>(at.state0 + i, n) * momentum_ + way * undampened_;
      store(at.state0 + i, buffer, n);
      way = nesterov_ ? way + buffer * momentum_ : buffer;
    }
    store(at.param + i, param - way * lr_, n);
  }

 private:
  bool decays_, remembers_, first_, nesterov_;
  Vec<T> lr_, decay_, momentum_, undampened_;
};

template <class T> class Adam {
 public:
  explicit Adam(const tl_optim_args& a) noexcept
      : decoupled_(a.fn == TL_OPTIM_ADAMW),
        decays_(!decoupled_ && a.weight_decay != 0),
        decay_(number<T>(decoupled_ ? 1 - a.lr * a.weight_decay : a.weight_decay)),
        beta1_(number<T>(a.beta1)),
        rest1_(number<T>(1 - a.beta1)),
        beta2_(number<T>(a.beta2)),
        rest2_(number<T>(1 - a.beta2)),
        scale_(number<T>(1 / std::sqrt(a.correction2))),
        eps_(number<T>(a.eps)),
        rate_(number<T>(a.lr / a.correction1)) {}

  template <class N> CPU_SIMD_INLINE void step(const Place<T>& at, int64_t i, N n) const noexcept {
    Vec<T> param = load(at.param + i, n);
    Vec<T> grad = load(at.grad + i, n);
    if (decoupled_) param = param * decay_;
    if (decays_) grad = grad + param * decay_;
    const Vec<T> mean = load<T>(at.state0 + i, n) * beta1_ + grad * rest1_;
    const Vec<T> square = load<T>(at.state1 + i, n) * beta2_ + (rest2_ * grad) * grad;
    store(at.state0 + i, mean, n);
    store(at.state1 + i, square, n);
    store(at.param + i, param - quotient(mean, sqrt_of(square) * scale_ + eps_) * rate_, n);
  }

 private:
  bool decoupled_, decays_;
  Vec<T> decay_, beta1_, rest1_, beta2_, rest2_, scale_, eps_, rate_;
};

template <class T> CPU_SIMD_INLINE T* data_or_null(const tl_view* view) noexcept {
  return view ? data_of<T>(*view) : nullptr;
}

/// The elements of all parameters, one after the other, cut into pieces whatever the parameters' sizes.
template <class T, template <class> class Rule>
CPU_SIMD_APART void step_all(const tl_optim_args& args) noexcept {
  const Rule<T> rule(args);
  int64_t total = 0;
  for (uint32_t k = 0; k < args.count; ++k) total += count_of(*args.items[k].param);
  constexpr int64_t least_piece = 16384, most_pieces = 64;
  const int64_t grain = total > least_piece * most_pieces ? ceil_div(total, most_pieces) : least_piece;
  parallel_ranges(total, grain, [&](int64_t begin, int64_t end) noexcept {
    int64_t first = 0;  // where the parameter begins among all elements
    for (uint32_t k = 0; k < args.count && first < end; ++k) {
      const tl_optim_item& item = args.items[k];
      const int64_t count = count_of(*item.param);
      const int64_t from = begin > first ? begin - first : 0, to = least(count, end - first);
      first += count;
      if (from >= to) continue;
      Place<T> at{data_of<T>(*item.param) + from, data_of<const T>(*item.grad) + from,
                  data_or_null<T>(item.state[0]), data_or_null<T>(item.state[1])};
      if (at.state0) at.state0 += from;
      if (at.state1) at.state1 += from;
      for_registers<T>(to - from, [&](int64_t i, auto n) { rule.step(at, i, n); });
    }
  });
}

template <class T> void step_by(const tl_optim_args& args) noexcept {
  if (args.fn == TL_OPTIM_SGD)
    step_all<T, Sgd>(args);
  else
    step_all<T, Adam>(args);
}

int32_t optim(const tl_optim_args& args, tl_error*) noexcept {
  if (args.count == 0) return TL_OK;
  if (dtype_key(args.items[0].param->dtype) == key_float32)
    step_by<float>(args);
  else
    step_by<double>(args);
  return TL_OK;
}

}  // namespace

void add_optim(KernelSet& set) noexcept { set.optim = optim; }

}  // namespace cpu_simd::TL_ISA
