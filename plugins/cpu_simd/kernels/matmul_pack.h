#pragma once

#include <utility>

#include "kernels/matmul_finish.h"
#include "kernels/registers.h"

/// Packing: `lines` rows of A or columns of B, `k` elements each, are laid out with the lines side by
/// side: element (line, k) at out[k * step + line]. What a tile reads is then one stream.
namespace cpu_simd::TL_ISA {

/// Strides in elements of the source.
template <class S> struct Lines {
  const S* data;
  int64_t line_stride, k_stride;
  int64_t lines, k;
};

/// (a0, b0, a1, b1, …), or the same from the upper halves.
template <bool upper, class T, int... i>
CPU_SIMD_INLINE Vec<T> interleave(const Vec<T>& a, const Vec<T>& b,
                                  std::integer_sequence<int, i...>) noexcept {
  constexpr int n = static_cast<int>(lanes<T>);
  using Register = typename Vec<T>::register_type;
  const Register x = a, y = b;
  return Vec<T>(Register(__builtin_shufflevector(x, y, (i / 2 + (upper ? n / 2 : 0) + i % 2 * n)...)));
}

/// As many registers as each has lanes, as a matrix. Every round puts row i and row i + n/2 together by
/// turns, which rotates the bits of (row, lane) by one; log2(n) rounds exchange both.
template <class T> CPU_SIMD_INLINE void transpose(Vec<T> (&x)[lanes<T>]) noexcept {
  constexpr int n = static_cast<int>(lanes<T>);
  constexpr auto order = std::make_integer_sequence<int, n>{};
  CPU_SIMD_UNROLL for (int round = 1; round < n; round *= 2) {
    Vec<T> y[n];
    CPU_SIMD_UNROLL for (int i = 0; i < n / 2; ++i) {
      y[2 * i] = interleave<false, T>(x[i], x[i + n / 2], order);
      y[2 * i + 1] = interleave<true, T>(x[i], x[i + n / 2], order);
    }
    CPU_SIMD_UNROLL for (int i = 0; i < n; ++i) x[i] = y[i];
  }
}

/// Lines contiguous along k. Each store writes a whole register, so up to lanes - 1 elements past the
/// last line: within the result later stores put them right, after its end the caller leaves room.
template <class T> void pack_transposed(const Lines<T>& from, T* out, int64_t step) noexcept {
  constexpr int64_t n = lanes<T>;
  for (int64_t k = 0; k < from.k; k += n) {
    const int64_t count = from.k - k < n ? from.k - k : n;
    for (int64_t first = (from.lines - 1) / n * n; first >= 0; first -= n) {
      const T* const source = from.data + first * from.line_stride + k;
      const int64_t lines = from.lines - first < n ? from.lines - first : n;
      Vec<T> x[n];
      if (count == n) {
        CPU_SIMD_UNROLL for (int64_t i = 0; i < n; ++i) x[i] =
            i < lines ? load(source + i * from.line_stride) : splat(T(0));
      } else {
        CPU_SIMD_UNROLL for (int64_t i = 0; i < n; ++i) x[i] =
            i < lines ? load_part(source + i * from.line_stride, count) : splat(T(0));
      }
      transpose<T>(x);
      T* const to = out + k * step + first;
      if (count == n) {
        CPU_SIMD_UNROLL for (int64_t i = 0; i < n; ++i) store(to + i * step, x[i]);
      } else {
        for (int64_t i = 0; i < count; ++i) store(to + i * step, x[i]);
      }
    }
  }
}

/// Lines side by side in the source, too. Whole registers are written, as above.
template <class T> void pack_straight(const Lines<T>& from, T* out, int64_t step) noexcept {
  constexpr int64_t n = lanes<T>;
  const T* source = from.data;
  for (int64_t k = from.k; k > 0; --k) {
    int64_t i = 0;
    for (; i + n <= from.lines; i += n) store(out + i, load(source + i));
    if (i < from.lines) store(out + i, load_part(source + i, from.lines - i));
    source += from.k_stride;
    out += step;
  }
}

/// Any strides and types.
template <class T, class S> void pack_gathered(const Lines<S>& from, T* out, int64_t step) noexcept {
  for (int64_t k = 0; k < from.k; ++k)
    for (int64_t i = 0; i < from.lines; ++i)
      out[k * step + i] = widen<T>(from.data[i * from.line_stride + k * from.k_stride]);
}

/// The fastest of these. `out` has room for lanes - 1 elements more.
template <class T, class S>
CPU_SIMD_APART void pack_panel(const Lines<S>& from, T* out, int64_t step) noexcept {
  if constexpr (std::is_same_v<T, S>) {
    if (from.line_stride == 1) return pack_straight(from, out, step);
    if (from.k_stride == 1) return pack_transposed(from, out, step);
  }
  pack_gathered(from, out, step);
}

}  // namespace cpu_simd::TL_ISA
