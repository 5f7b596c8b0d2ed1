#pragma once

#include "kernels/total.h"

/// Small things that loops over tiles, rows and pieces share.
namespace cpu_simd::TL_ISA {

/// Before a loop over an array of registers: unrolled, the array is registers.
#define CPU_SIMD_UNROLL _Pragma("GCC unroll 16")

constexpr int64_t least(int64_t a, int64_t b) noexcept { return a < b ? a : b; }
constexpr int64_t ceil_div(int64_t a, int64_t b) noexcept { return (a + b - 1) / b; }

/// Piece i of `pieces` nearly equal ones of `total` starts here.
constexpr int64_t piece_start(int64_t total, int64_t pieces, int64_t i) noexcept {
  return total / pieces * i + least(total % pieces, i);
}

/// A whole register, or the first `count` lanes of one.
struct Whole {};
struct Part {
  int64_t count;
};

template <class T> CPU_SIMD_INLINE Vec<T> load(const T* p, Whole) noexcept { return load(p); }
template <class T> CPU_SIMD_INLINE Vec<T> load(const T* p, Part part) noexcept {
  return load_part(p, part.count);
}
template <class T> CPU_SIMD_INLINE void store(T* p, const Vec<T>& v, Whole) noexcept { store(p, v); }
template <class T> CPU_SIMD_INLINE void store(T* p, const Vec<T>& v, Part part) noexcept {
  store_part(p, v, part.count);
}

/// v, with `other` in the lanes that don't belong to the part.
template <class T> CPU_SIMD_INLINE Vec<T> only(const Vec<T>& v, const Vec<T>&, Whole) noexcept {
  return v;
}
template <class T>
CPU_SIMD_INLINE Vec<T> only(const Vec<T>& v, const Vec<T>& other, Part part) noexcept {
  alignas(64) static constexpr T numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return select<T>(load(numbers) < splat(static_cast<T>(part.count)), v, other);
}

/// f(i, Whole{}) for each register of n elements, f(i, Part{…}) for the rest.
template <class T, class F> CPU_SIMD_INLINE void for_registers(int64_t n, const F& f) noexcept {
  int64_t i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) f(i, Whole{});
  if (i < n) f(i, Part{n - i});
}

/// The same for a running value, kept four times for the processor to work on side by side:
/// value = f(value, i, Whole{} or Part{…}), and at the end join(a, b) makes one of them.
template <class T, class F, class Join>
CPU_SIMD_INLINE Vec<T> fold_registers(int64_t n, Vec<T> start, const F& f, const Join& join) noexcept {
  constexpr int64_t step = lanes<T>;
  Vec<T> value[4] = {start, start, start, start};
  int64_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step)
    CPU_SIMD_UNROLL for (int c = 0; c < 4; ++c) value[c] = f(value[c], i + c * step, Whole{});
  for (; i + step <= n; i += step) value[0] = f(value[0], i, Whole{});
  if (i < n) value[1] = f(value[1], i, Part{n - i});
  return join(join(value[0], value[1]), join(value[2], value[3]));
}

/// Adds sums over n elements to totals: add(sum, i, Whole{} or Part{…}) adds a register's terms to sum[0] …
template <class T, int sums, class F>
CPU_SIMD_INLINE void sum_registers(int64_t n, Total<T> (&total)[sums], const F& add) noexcept {
  constexpr int64_t step = lanes<T>;
  Vec<T> value[4][sums];
  CPU_SIMD_UNROLL for (auto& way : value) CPU_SIMD_UNROLL for (Vec<T>& sum : way) sum = splat(T(0));
  int64_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step)
    CPU_SIMD_UNROLL for (int w = 0; w < 4; ++w) add(value[w], i + w * step, Whole{});
  for (; i + step <= n; i += step) add(value[0], i, Whole{});
  if (i < n) add(value[1], i, Part{n - i});
  CPU_SIMD_UNROLL for (int s = 0; s < sums; ++s) {
    const Vec<T> sum = (value[0][s] + value[1][s]) + (value[2][s] + value[3][s]);
    total[s].add(static_cast<double>(sum_lanes(sum)));
  }
}

}  // namespace cpu_simd::TL_ISA
