#include "kernels/reduce_driver.h"

/// argmax and argmin: positions count in row-major order over the reduced axes, so these are walked as
/// they stand. A row without gaps is first searched for its extreme value, by registers, and then for
/// the place of it.
namespace cpu_simd::TL_ISA {
namespace {

template <class T> bool is_not_a_number(T x) noexcept {
  if constexpr (is_real<T>)
    return x != x;
  else
    return false;
}

/// Does x come before the best so far? NaN is the most extreme value of all; the first of equals wins.
template <class T, bool largest> CPU_SIMD_INLINE bool beats(T x, T best) noexcept {
  if (is_not_a_number(best)) return false;
  if (is_not_a_number(x)) return true;
  return largest ? x > best : x < best;
}

template <class T, bool largest> struct Best {
  T value;
  int64_t position;
  bool is_set = false;

  CPU_SIMD_INLINE void consider(T x, int64_t at) noexcept {
    if (is_set && !beats<T, largest>(x, value)) return;
    value = x;
    position = at;
    is_set = true;
  }
};

template <class T, bool largest>
CPU_SIMD_INLINE void search_row(const char* row, int64_t n, int64_t step, int64_t first,
                                Best<T, largest>& best) noexcept {
  if constexpr (is_real<T>) {
    if (step == static_cast<int64_t>(sizeof(T)) && n >= 2 * lanes<T>) {
      using Choose = std::conditional_t<largest, Largest<T>, Smallest<T>>;
      const T* p = reinterpret_cast<const T*>(row);
      const T extreme = ExtremeOf<T, Choose>::run(p, n);
      int64_t i = 0;
      if (extreme != extreme)
        while (p[i] == p[i]) ++i;
      else
        while (p[i] != extreme) ++i;
      return best.consider(p[i], first + i);
    }
  }
  for (int64_t i = 0; i < n; ++i) best.consider(*reinterpret_cast<const T*>(row + i * step), first + i);
}

template <class T, bool largest> void reduce_arg(const tl_reduce_args& args) noexcept {
  const ReduceLoops loops = make_reduce_loops(args, false);
  const Axes& reduced = loops.reduced;
  const int64_t outputs = loops.kept.size(), each = reduced.size();
  const auto one = [&](int64_t o) noexcept {
    int64_t in, out;
    offsets_of(loops.kept, loops.kept.count, o, in, out);
    Best<T, largest> best{};
    if (reduced.count == 0) {
      best.consider(*reinterpret_cast<const T*>(loops.in + in), 0);
    } else {
      const int last = reduced.last();
      const int64_t n = reduced.extent[last], outer = n == 0 ? 0 : each / n;
      for (int64_t i = 0; i < outer; ++i) {
        int64_t at, unused;
        offsets_of(reduced, last, i, at, unused);
        search_row<T, largest>(loops.in + in + at, n, reduced.in[last], i * n, best);
      }
    }
    *reinterpret_cast<int64_t*>(loops.out + out) = best.position;
  };
  if (outputs * (each + 1) < parallel_threshold) {
    for (int64_t o = 0; o < outputs; ++o) one(o);
    return;
  }
  parallel_ranges(outputs, parallel_grain / (each + 1) + 1, [&](int64_t begin, int64_t end) noexcept {
    for (int64_t o = begin; o < end; ++o) one(o);
  });
}

template <class T> Reducer find(uint32_t fn) noexcept {
  if (fn == TL_REDUCE_argmax) return reduce_arg<T, true>;
  if (fn == TL_REDUCE_argmin) return reduce_arg<T, false>;
  return nullptr;
}

}  // namespace

Reducer find_reduce_arg(uint32_t fn, const tl_dtype& dtype) noexcept {
  if (dtype.code == TL_INT && dtype.bits == 64) return find<Int>(fn);
  if (dtype.code != TL_FLOAT) return nullptr;
  return dtype.bits == 32 ? find<float>(fn) : dtype.bits == 64 ? find<double>(fn) : nullptr;
}

}  // namespace cpu_simd::TL_ISA
