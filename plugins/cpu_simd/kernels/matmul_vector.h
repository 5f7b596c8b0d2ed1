#pragma once

#include "kernels/matmul_finish.h"
#include "kernels/registers.h"
#include "parallel.h"

/// One row times a matrix whose rows or columns are contiguous: a matter of memory bandwidth. Sums over
/// k are kept in pieces, so that their error doesn't grow with k.
namespace cpu_simd::TL_ISA {

/// The vector, k_piece elements at a time, side by side.
constexpr int64_t k_piece = 512;

template <class T> struct VectorTimesMatrix {
  const T* x;
  int64_t x_step;
  const T* b;
  int64_t b_row, b_column;
  int64_t k;

  /// x[k … k + count) where it lies, or copied to `copy`.
  CPU_SIMD_INLINE const T* piece(int64_t first, int64_t count, T* copy) const noexcept {
    if (x_step == 1) return x + first;
    for (int64_t i = 0; i < count; ++i) copy[i] = x[(first + i) * x_step];
    return copy;
  }
};

/// sums[j] = x · column j for `columns` ≤ 4 columns that are contiguous along k.
template <class T, int columns>
void dot_columns(const VectorTimesMatrix<T>& v, int64_t column, T* sums) noexcept {
  constexpr int64_t n = lanes<T>;
  alignas(64) T copy[k_piece];
  Vec<T> total[columns];
  CPU_SIMD_UNROLL for (int c = 0; c < columns; ++c) total[c] = splat(T(0));
  for (int64_t first = 0; first < v.k; first += k_piece) {
    const int64_t count = least(k_piece, v.k - first);
    const T* const x = v.piece(first, count, copy);
    const T* const b = v.b + column * v.b_column + first;
    Vec<T> even[columns], odd[columns];
    CPU_SIMD_UNROLL for (int c = 0; c < columns; ++c) even[c] = odd[c] = splat(T(0));
    int64_t i = 0;
    for (; i + 2 * n <= count; i += 2 * n) {
      const Vec<T> x0 = load(x + i), x1 = load(x + i + n);
      CPU_SIMD_UNROLL for (int c = 0; c < columns; ++c) {
        even[c] = fma(x0, load(b + c * v.b_column + i), even[c]);
        odd[c] = fma(x1, load(b + c * v.b_column + i + n), odd[c]);
      }
    }
    for (; i < count; i += n) {
      const int64_t part = least(n, count - i);
      const Vec<T> x0 = part == n ? load(x + i) : load_part(x + i, part);
      CPU_SIMD_UNROLL for (int c = 0; c < columns; ++c) {
        const T* const from = b + c * v.b_column + i;
        even[c] = fma(x0, part == n ? load(from) : load_part(from, part), even[c]);
      }
    }
    CPU_SIMD_UNROLL for (int c = 0; c < columns; ++c) total[c] = total[c] + (even[c] + odd[c]);
  }
  CPU_SIMD_UNROLL for (int c = 0; c < columns; ++c) sums[c] = sum_lanes(total[c]);
}

template <class T>
void dot_range(const VectorTimesMatrix<T>& v, int64_t column, int64_t count, T* sums) noexcept {
  int64_t j = 0;
  for (; j + 4 <= count; j += 4) dot_columns<T, 4>(v, column + j, sums + j);
  for (; j < count; ++j) dot_columns<T, 1>(v, column + j, sums + j);
}

/// sums[i] += Σ x[k] b[k][i] over `rows` ≤ 8 rows that lie side by side, for whole registers and a part.
template <class T, int rows>
void add_rows(const T* x, const T* b, int64_t b_row, int64_t count, T* sums) noexcept {
  constexpr int64_t n = lanes<T>;
  Vec<T> factor[rows];
  CPU_SIMD_UNROLL for (int r = 0; r < rows; ++r) factor[r] = splat(x[r]);
  int64_t i = 0;
  for (; i + n <= count; i += n) {
    Vec<T> sum = load(sums + i);
    CPU_SIMD_UNROLL for (int r = 0; r < rows; ++r) sum = fma(factor[r], load(b + r * b_row + i), sum);
    store(sums + i, sum);
  }
  if (i == count) return;
  Vec<T> sum = load_part(sums + i, count - i);
  CPU_SIMD_UNROLL for (int r = 0; r < rows; ++r) sum =
      fma(factor[r], load_part(b + r * b_row + i, count - i), sum);
  store_part(sums + i, sum, count - i);
}

constexpr int64_t vector_columns = 1024;  ///< of one task: its sums stay in the first-level cache

/// sums[j] = x · column j for `count` ≤ vector_columns columns whose rows lie side by side.
template <class T>
void add_range(const VectorTimesMatrix<T>& v, int64_t column, int64_t count, T* sums) noexcept {
  alignas(64) T copy[k_piece], partial[vector_columns];
  for (int64_t j = 0; j < count; ++j) sums[j] = T(0);
  for (int64_t first = 0; first < v.k; first += k_piece) {
    const int64_t rows = least(k_piece, v.k - first);
    const T* const x = v.piece(first, rows, copy);
    const T* const b = v.b + first * v.b_row + column;
    for (int64_t j = 0; j < count; ++j) partial[j] = T(0);
    int64_t r = 0;
    for (; r + 8 <= rows; r += 8) add_rows<T, 8>(x + r, b + r * v.b_row, v.b_row, count, partial);
    for (; r < rows; ++r) add_rows<T, 1>(x + r, b + r * v.b_row, v.b_row, count, partial);
    for (int64_t j = 0; j < count; ++j) sums[j] += partial[j];
  }
}

/// Columns `column` to `column + count` of one batch entry.
template <class T>
void vector_piece(const MatmulProblem& p, int64_t entry, int64_t column, int64_t count,
                  bool by_rows) noexcept {
  const VectorTimesMatrix<T> v{reinterpret_cast<const T*>(p.a.data) + batch_offset(p, p.a, entry),
                               p.a.column,
                               reinterpret_cast<const T*>(p.b.data) + batch_offset(p, p.b, entry),
                               p.b.row,
                               p.b.column,
                               p.k};
  alignas(64) T sums[vector_columns];
  if (by_rows)
    add_range(v, column, count, sums);
  else
    dot_range(v, column, count, sums);
  const Finisher<T, T> finisher(p, entry);
  const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
  for (int64_t j = 0; j < count; ++j) {
    T& out = *finisher.out(0, column + j);
    out = p.beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * out;
  }
  finisher(0, column, 1, count, nullptr, 0);
}

template <class T> void run_vector(const MatmulProblem& p) noexcept {
  const bool by_rows = p.b.column == 1 && (p.b.row != 1 || p.k == 1);
  // A task is worth a thread (2^18 products), but not so large that there is only one.
  const int64_t least_columns = by_rows ? 256 : 4;
  const int64_t worth = ((1 << 18) / p.k + least_columns) / least_columns * least_columns;
  const int64_t columns = least(vector_columns, worth), pieces = (p.n + columns - 1) / columns;
  const int64_t grain = (1 << 18) / (p.k * least(columns, p.n)) + 1;
  parallel_ranges(p.batches * pieces, grain, [&](int64_t begin, int64_t end) noexcept {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t column = task % pieces * columns;
      vector_piece<T>(p, task / pieces, column, least(columns, p.n - column), by_rows);
    }
  });
}

}  // namespace cpu_simd::TL_ISA
