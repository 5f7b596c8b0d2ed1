#pragma once

#include <torchlight/plugin.h>

#include "kernels/rows.h"
#include "parallel.h"

namespace cpu_simd::TL_ISA {

/// Mean and reciprocal deviation of one row. The mean is the sum of two numbers: a T close to it, and
/// what is missing; subtracting one after the other keeps the differences exact where the values are
/// large and close together.
template <class T> struct Moments {
  T near_mean;
  T rest;
  T rstd;
};

/// f(first, n, x) for the chunks of a row, side by side.
template <class T, class F>
CPU_SIMD_INLINE void for_values(const RowView<const T>& view, const T* row, const F& f) noexcept {
  alignas(64) T buffer[chunk];
  for_chunks(view.columns.count,
             [&](int64_t first, int64_t n) { f(first, n, view.read(row, first, n, buffer)); });
}

template <class T> double row_sum(const RowView<const T>& view, const T* row) noexcept {
  double total = 0;
  for_values<T>(view, row, [&](int64_t, int64_t n, const T* x) {
    const auto add = [](const Vec<T>& a, const Vec<T>& b) { return a + b; };
    const auto step = [&](const Vec<T>& sum, int64_t i, auto part) { return sum + load(x + i, part); };
    total += static_cast<double>(sum_lanes(fold_registers<T>(n, splat(T(0)), step, add)));
  });
  return total;
}

/// Two passes: the mean, then the squares of what differs from it. The second pass also finds how far
/// the rounded mean is off, and both are put right by that.
template <class T>
Moments<T> row_moments(const RowView<const T>& view, const T* row, double eps) noexcept {
  const double count = static_cast<double>(view.columns.count);
  const T near_mean = static_cast<T>(row_sum(view, row) / count);
  double sum = 0, squares = 0;
  for_values<T>(view, row, [&](int64_t, int64_t n, const T* x) {
    Vec<T> d_sum = splat(T(0)), d_squares = splat(T(0));
    for_registers<T>(n, [&](int64_t i, auto part) {
      const Vec<T> d = only(load(x + i, part) - splat(near_mean), splat(T(0)), part);
      d_sum = d_sum + d;
      d_squares = fma(d, d, d_squares);
    });
    sum += static_cast<double>(sum_lanes(d_sum));
    squares += static_cast<double>(sum_lanes(d_squares));
  });
  const double rest = sum / count, variance = squares / count - rest * rest;
  const double positive = variance < 0 ? 0 : variance;  // a NaN stays
  return {near_mean, static_cast<T>(rest), static_cast<T>(1 / __builtin_sqrt(positive + eps))};
}

/// One call of layernorm_fw in the type T.
template <class T> class LayerNorm {
 public:
  explicit LayerNorm(const tl_layernorm_fw_args& args) noexcept
      : input_(args.input, args.normalized),
        gamma_(args.gamma, args.normalized),
        beta_(args.beta, args.normalized),
        output_(args.output, args.normalized),
        mean_(args.mean, 0),
        rstd_(args.rstd, 0),
        eps_(args.eps) {}

  void run() const noexcept {
    if (input_.columns.count == 0 && !mean_ && !rstd_) return;
    parallel_ranges(input_.rows.count, row_grain(input_.columns.count),
                    [&](int64_t begin, int64_t end) noexcept {
                      for (int64_t i = begin; i < end; ++i) row(i);
                    });
  }

 private:
  void row(int64_t i) const noexcept {
    const T* const x = input_.row(i);
    const Moments<T> m = row_moments(input_, x, eps_);
    if (mean_) *mean_.row(i) = m.near_mean + m.rest;
    if (rstd_) *rstd_.row(i) = m.rstd;
    T* const out = output_.row(i);
    const Vec<T> near_mean = splat(m.near_mean), rest = splat(m.rest), rstd = splat(m.rstd);
    alignas(64) T gamma_buffer[chunk], beta_buffer[chunk], out_buffer[chunk];
    for_values<T>(input_, x, [&](int64_t first, int64_t n, const T* values) {
      const T* const gamma = gamma_ ? gamma_.read(gamma_.data, first, n, gamma_buffer) : nullptr;
      const T* const beta = beta_ ? beta_.read(beta_.data, first, n, beta_buffer) : nullptr;
      T* const to = output_.place(out, first, out_buffer);
      for_registers<T>(n, [&](int64_t j, auto part) {
        Vec<T> y = (load(values + j, part) - near_mean - rest) * rstd;
        if (gamma) y = y * load(gamma + j, part);
        if (beta) y = y + load(beta + j, part);
        store(to + j, y, part);
      });
      output_.written(out, first, n, to);
    });
  }

  const RowView<const T> input_, gamma_, beta_;
  const RowView<T> output_, mean_, rstd_;
  const double eps_;
};

}  // namespace cpu_simd::TL_ISA
