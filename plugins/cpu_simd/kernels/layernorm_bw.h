#pragma once

#include "kernels/layernorm_fw.h"
#include "layernorm_plan.h"

namespace cpu_simd::TL_ISA {

/// A sum with its rounding error: sum - error is closer than any T could be. An infinite sum has none.
template <class T>
CPU_SIMD_INLINE void add_exactly(T* sum, T* error, const Vec<T>& value, auto part) noexcept {
  const Vec<T> before = load(sum, part), missing = value - load(error, part);
  const Vec<T> after = before + missing, lost = (after - before) - missing;
  store(error, select<T>(is_nan<T>(lost), splat(T(0)), lost), part);
  store(sum, after, part);
}

/// The sum of 1 or 8 registers, by halves.
template <class T, int n> CPU_SIMD_INLINE Vec<T> sum_tree(const Vec<T> (&x)[n]) noexcept {
  if constexpr (n == 1)
    return x[0];
  else
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/// One call of layernorm_bw in the type T. With h = grad * gamma, d = input - mean and x = d * rstd:
///   dinput = rstd * (h - mean(h) - x * mean(h * x)),  dgamma = Σ grad * x,  dbeta = Σ grad  over rows.
/// Rows are taken eight at a time: their sum is a tree, and only its result is added to the running
/// sums, with compensation, so that the error doesn't grow with the number of rows.
template <class T> class LayerNormGradient {
 public:
  LayerNormGradient(const tl_layernorm_bw_args& args, char* workspace) noexcept
      : grad_(args.grad, args.normalized),
        input_(args.input, args.normalized),
        gamma_(args.gamma, args.normalized),
        mean_(args.mean, 0),
        rstd_(args.rstd, 0),
        dinput_(args.dinput, args.normalized),
        dgamma_(args.dgamma, args.normalized),
        dbeta_(args.dbeta, args.normalized),
        eps_(args.eps),
        plan_(plan_layernorm(args)),
        sums_(reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(workspace) + 63) & ~uintptr_t{63})) {}

  void run() const noexcept {
    if (input_.columns.count == 0) return;
    const int64_t rows = input_.rows.count;
    parallel_for(plan_.blocks, [&](int64_t block) noexcept {
      const int64_t begin = block * plan_.block_rows, end = least(rows, begin + plan_.block_rows);
      if (wants_sums()) clear(block);
      int64_t i = begin;
      for (; i + 8 <= end; i += 8) group<8>(block, i);
      for (; i < end; ++i) group<1>(block, i);
    });
    if (wants_sums()) add_blocks();
  }

 private:
  /// What a row's gradient needs of the whole row.
  struct Terms {
    T near_mean, rest, rstd;
    T mean_h;   ///< mean(h)
    T mean_hx;  ///< mean(h * x) * rstd
  };

  static constexpr int64_t sum_chunk = 256;

  bool wants_sums() const noexcept { return dgamma_ || dbeta_; }

  /// Array 0 … 3 of a block: sum and error of dgamma, sum and error of dbeta.
  T* sums(int64_t block, int64_t array) const noexcept {
    return sums_ + (block * 4 + array) * plan_.pitch;
  }

  void clear(int64_t block) const noexcept {
    T* const all = sums(block, 0);
    for (int64_t j = 0; j < 4 * plan_.pitch; ++j) all[j] = T(0);
  }

  template <int rows> CPU_SIMD_APART void group(int64_t block, int64_t first_row) const noexcept {
    Terms terms[rows];
    for (int r = 0; r < rows; ++r) terms[r] = row_terms(first_row + r);
    if (wants_sums()) add_rows<rows>(block, first_row, terms);
    if (!dinput_) return;
    for (int r = 0; r < rows; ++r) write_row(first_row + r, terms[r]);
  }

  /// f(first, n, grad, input, gamma or NULL) for the chunks of a row.
  template <class F> CPU_SIMD_INLINE void for_row(int64_t i, const F& f) const noexcept {
    alignas(64) T grad_buffer[chunk<T>], gamma_buffer[chunk<T>];
    const T* const grad = grad_.row(i);
    for_values<T>(input_, input_.row(i), [&](int64_t first, int64_t n, const T* x) {
      const T* const gamma = gamma_ ? gamma_.read(gamma_.data, first, n, gamma_buffer) : nullptr;
      f(first, n, grad_.read(grad, first, n, grad_buffer), x, gamma);
    });
  }

  CPU_SIMD_INLINE static Vec<T> times_gamma(const T* grad, const T* gamma, int64_t j,
                                            auto part) noexcept {
    const Vec<T> g = load(grad + j, part);
    return gamma ? g * load(gamma + j, part) : g;
  }

  CPU_SIMD_APART Terms row_terms(int64_t i) const noexcept {
    Moments<T> m{};
    if (mean_ && rstd_)
      m = {*mean_.row(i), T(0), *rstd_.row(i)};
    else
      m = row_moments(input_, input_.row(i), eps_);
    Total<T> total[3];  // of h, h * d and d
    for_row(i, [&](int64_t, int64_t n, const T* grad, const T* x, const T* gamma) {
      sum_registers<T>(n, total, [&](Vec<T>(&sum)[3], int64_t j, auto part) {
        const Vec<T> h = times_gamma(grad, gamma, j, part);
        const Vec<T> d = only(load(x + j, part) - splat(m.near_mean), splat(T(0)), part);
        sum[0] = sum[0] + h;
        sum[1] = fma(h, d, sum[1]);
        sum[2] = sum[2] + d;
      });
    });
    const double sum_h = total[0].wide(), sum_hd = total[1].wide(), sum_d = total[2].wide();
    const double count = static_cast<double>(input_.columns.count), rstd = static_cast<double>(m.rstd);
    const double rest = sum_d / count;  // what a mean rounded to T lacks, saved or not
    return {m.near_mean, static_cast<T>(rest), m.rstd, static_cast<T>(sum_h / count),
            static_cast<T>(rstd * rstd * (sum_hd - rest * sum_h) / count)};
  }

  CPU_SIMD_APART void write_row(int64_t i, const Terms& t) const noexcept {
    T* const out = dinput_.row(i);
    alignas(64) T buffer[chunk<T>];
    for_row(i, [&](int64_t first, int64_t n, const T* grad, const T* x, const T* gamma) {
      T* const to = dinput_.place(out, first, buffer);
      for_registers<T>(n, [&](int64_t j, auto part) {
        const Vec<T> d = load(x + j, part) - splat(t.near_mean) - splat(t.rest);
        const Vec<T> h = times_gamma(grad, gamma, j, part) - splat(t.mean_h);
        store(to + j, splat(t.rstd) * fnma(d, splat(t.mean_hx), h), part);
      });
      dinput_.written(out, first, n, to);
    });
  }

  template <int rows>
  CPU_SIMD_APART void add_rows(int64_t block, int64_t first_row,
                               const Terms (&t)[rows]) const noexcept {
    alignas(64) T grad_buffer[rows][sum_chunk], input_buffer[rows][sum_chunk];
    const int64_t columns = input_.columns.count;
    for (int64_t first = 0; first < columns; first += sum_chunk) {
      const int64_t n = least(sum_chunk, columns - first);
      const T *grad[rows], *x[rows];
      for (int r = 0; r < rows; ++r) {
        grad[r] = grad_.read(grad_.row(first_row + r), first, n, grad_buffer[r]);
        x[r] = input_.read(input_.row(first_row + r), first, n, input_buffer[r]);
      }
      for_registers<T>(n, [&](int64_t j, auto part) {
        Vec<T> g[rows], gx[rows];
        CPU_SIMD_UNROLL for (int r = 0; r < rows; ++r) {
          g[r] = load(grad[r] + j, part);
          const Vec<T> d = load(x[r] + j, part) - splat(t[r].near_mean) - splat(t[r].rest);
          gx[r] = g[r] * (d * splat(t[r].rstd));
        }
        add_exactly(sums(block, 0) + first + j, sums(block, 1) + first + j, sum_tree(gx), part);
        add_exactly(sums(block, 2) + first + j, sums(block, 3) + first + j, sum_tree(g), part);
      });
    }
  }

  void add_blocks() const noexcept {
    parallel_ranges(input_.columns.count, 8 * chunk<T>, [&](int64_t begin, int64_t end) noexcept {
      for (int64_t first = begin; first < end; first += chunk<T>) {
        const int64_t n = least(chunk<T>, end - first);
        if (dgamma_) add_blocks_of(dgamma_, 0, first, n);
        if (dbeta_) add_blocks_of(dbeta_, 2, first, n);
      }
    });
  }

  CPU_SIMD_APART void add_blocks_of(const RowView<T>& output, int64_t array, int64_t first,
                                    int64_t n) const noexcept {
    alignas(64) T sum[chunk<T>] = {}, error[chunk<T>] = {}, buffer[chunk<T>];
    for (int64_t block = 0; block < plan_.blocks; ++block)
      for_registers<T>(n, [&](int64_t j, auto part) {
        const Vec<T> share = load(sums(block, array) + first + j, part);
        const Vec<T> lacking = load(sums(block, array + 1) + first + j, part);
        add_exactly(sum + j, error + j, share, part);
        add_exactly(sum + j, error + j, splat(T(0)) - lacking, part);
      });
    T* const to = output.place(output.data, first, buffer);
    for_registers<T>(n, [&](int64_t j, auto part) {
      store(to + j, load(sum + j, part) - load(error + j, part), part);
    });
    output.written(output.data, first, n, to);
  }

  const RowView<const T> grad_, input_, gamma_, mean_, rstd_;
  const RowView<T> dinput_, dgamma_, dbeta_;
  const double eps_;
  const LayerNormPlan plan_;
  T* const sums_;
};

}  // namespace cpu_simd::TL_ISA
