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
  alignas(64) T buffer[chunk<T>];
  for_chunks<T>(view.columns.count,
                [&](int64_t first, int64_t n) { f(first, n, view.read(row, first, n, buffer)); });
}

template <class T> CPU_SIMD_APART double row_sum(const RowView<const T>& view, const T* row) noexcept {
  Total<T> total[1];
  for_values<T>(view, row, [&](int64_t, int64_t n, const T* x) {
    sum_registers<T>(
        n, total, [&](Vec<T>(&sum)[1], int64_t i, auto part) { sum[0] = sum[0] + load(x + i, part); });
  });
  return total[0].wide();
}

/// Two passes: the mean, then the squares of what differs from it. The second pass also finds how far
/// the rounded mean is off, and both are put right by that.
template <class T>
CPU_SIMD_APART Moments<T> row_moments(const RowView<const T>& view, const T* row, double eps) noexcept {
  const double count = static_cast<double>(view.columns.count);
  const T near_mean = static_cast<T>(row_sum(view, row) / count);
  Total<T> total[2];
  for_values<T>(view, row, [&](int64_t, int64_t n, const T* x) {
    sum_registers<T>(n, total, [&](Vec<T>(&sum)[2], int64_t i, auto part) {
      const Vec<T> d = only(load(x + i, part) - splat(near_mean), splat(T(0)), part);
      sum[0] = sum[0] + d;
      sum[1] = fma(d, d, sum[1]);
    });
  });
  const double rest = total[0].wide() / count;
  const double variance = total[1].wide() / count - rest * rest;
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
  CPU_SIMD_APART void row(int64_t i) const noexcept {
    const T* const x = input_.row(i);
    const Moments<T> m = row_moments(input_, x, eps_);
    if (mean_) *mean_.row(i) = m.near_mean + m.rest;
    if (rstd_) *rstd_.row(i) = m.rstd;
    T* const out = output_.row(i);
    const Vec<T> near_mean = splat(m.near_mean), rest = splat(m.rest), rstd = splat(m.rstd);
    alignas(64) T gamma_buffer[chunk<T>], beta_buffer[chunk<T>], out_buffer[chunk<T>];
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
