#pragma once

#include "rows.cuh"

/// Layer normalisation of rows. Statistics take two passes: the mean, then the squares of what
/// differs from it; the second also finds how far the rounded mean is off, and both are put right by that. Rows in
/// registers are lines; where the columns are several axes, the long form walks them.
namespace kernels {

struct LayernormArguments {
  const void *x, *gamma, *beta;  // gamma and beta may be NULL
  void *out, *mean, *rstd;       // each may be NULL
  double eps;
  Nest<4> rows;     // of x, out, mean and rstd
  Nest<4> columns;  // of x, out, gamma and beta
};

#if TL_ON_DEVICE

/// The mean is the sum of two numbers: a T close to it, and what is missing; subtracting one after the other keeps
/// differences exact where values are large and close together.
template <class T> struct Moments {
  T near_mean, rest, rstd;

  TL_DEVICE T normal(T x) const { return (x - near_mean - rest) * rstd; }
};

template <class T> TL_DEVICE T near_mean(const Total<T>& sum, int64_t count) {
  return static_cast<T>(sum.wide() / static_cast<double>(count));
}

/// `sums`: of what differs from the near mean, and of its squares.
template <class T>
TL_DEVICE Moments<T> moments(T near, const TwoTotals<T>& sums, int64_t count, double eps) {
  const double n = static_cast<double>(count), rest = sums.first.wide() / n;
  const double variance = sums.second.wide() / n - rest * rest;
  const double positive = variance < 0 ? 0 : variance;  // a NaN stays
  return {near, static_cast<T>(rest), static_cast<T>(1 / sqrt(positive + eps))};
}

template <class T> struct LayernormRow {
  const LayernormArguments& g;
  Offsets<4> at;

  TL_DEVICE T x(const Offsets<4>& column) const {
    return static_cast<const T*>(g.x)[at.of[0] + column.of[0]];
  }
  TL_DEVICE void write(const Offsets<4>& column, T y) const {
    if (g.gamma) y *= static_cast<const T*>(g.gamma)[column.of[2]];
    if (g.beta) y += static_cast<const T*>(g.beta)[column.of[3]];
    static_cast<T*>(g.out)[at.of[1] + column.of[1]] = y;
  }
  TL_DEVICE void save(const Moments<T>& m) const {
    if (g.mean) static_cast<T*>(g.mean)[at.of[2]] = m.near_mean + m.rest;
    if (g.rstd) static_cast<T*>(g.rstd)[at.of[3]] = m.rstd;
  }
};

template <class T, bool is_block, int items> struct Layernorm {
  using Members = Group<is_block>;

  static TL_DEVICE void row(const LayernormRow<T>& r) {
    const int64_t count = r.g.columns.count;
    const int first = Members::rank(), step = Members::size();
    T value[items], differs[items], square[items];
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      value[j] = column < count ? r.x(line_offsets(r.g.columns, column)) : T(0);
    }
    const Total<T> sum =
        Members::template total<reduce_sum<T>>(total_of(Pairwise<T, items>::sum(value)));
    const T near = near_mean(sum, count);
    TL_UNROLL for (int j = 0; j < items; ++j) {
      differs[j] = first + j * step < count ? value[j] - near : T(0);
      square[j] = differs[j] * differs[j];
    }
    TwoTotals<T> sums = {total_of(Pairwise<T, items>::sum(differs)),
                         total_of(Pairwise<T, items>::sum(square))};
    sums = Members::template total<AddTwo<T>>(sums);
    const Moments<T> m = moments(near, sums, count, r.g.eps);
    if (first == 0) r.save(m);
    if (!r.g.out) return;
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      if (column < count) r.write(line_offsets(r.g.columns, column), m.normal(value[j]));
    }
  }
};

template <class T> struct Layernorm<T, true, 0> {
  using Members = Group<true>;

  static TL_DEVICE void row(const LayernormRow<T>& r) {
    const int64_t count = r.g.columns.count;
    const int first = Members::rank(), step = Members::size();
    RunningSum<T> sum = RunningSum<T>::zero();
    for (int64_t column = first; column < count; column += step)
      sum.add(r.x(offsets_of(r.g.columns, column)));
    const T near = near_mean(Members::template total<reduce_sum<T>>(sum.result()), count);
    RunningSum<T> rest = RunningSum<T>::zero(), squares = RunningSum<T>::zero();
    for (int64_t column = first; column < count; column += step) {
      const T differs = r.x(offsets_of(r.g.columns, column)) - near;
      rest.add(differs);
      squares.add(differs * differs);
    }
    TwoTotals<T> sums = {rest.result(), squares.result()};
    sums = Members::template total<AddTwo<T>>(sums);
    const Moments<T> m = moments(near, sums, count, r.g.eps);
    if (first == 0) r.save(m);
    if (!r.g.out) return;
    for (int64_t column = first; column < count; column += step) {
      const Offsets<4> at = offsets_of(r.g.columns, column);
      r.write(at, m.normal(r.x(at)));
    }
  }
};

template <class T, bool is_block, int items>
TL_DEVICE void layernorm_forward(const LayernormArguments& g) {
  using Members = Group<is_block>;
  for (int64_t i = Members::first(); i < g.rows.count; i += Members::count())
    Layernorm<T, is_block, items>::row(LayernormRow<T>{g, offsets_of(g.rows, i)});
}

#endif

}  // namespace kernels
