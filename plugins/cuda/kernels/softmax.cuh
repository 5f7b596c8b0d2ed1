#pragma once

#include "rows.cuh"

/// output = softmax(scale * x + mask) over the last axis, and its gradient scale * soft * (grad - Σ grad * soft).
namespace kernels {

struct SoftmaxArguments {
  const void* x;     // the gradient, backward
  const void* mask;  // or NULL; soft, backward
  void* out;
  double scale;
  int64_t columns;
  int64_t column_stride[3];  // of x, mask and out
  int64_t causal_offset;
  int64_t queries;  // rows count from 0 again after as many
  int32_t causal;
  int32_t reserved;
  Nest<3> rows;
};

#if TL_ON_DEVICE

/// A row's operands, and how many of its columns count.
template <class T> struct SoftmaxRow {
  const SoftmaxArguments& g;
  const T* x;
  const T* mask;
  T* out;
  T scale;
  int64_t count;

  TL_DEVICE SoftmaxRow(const SoftmaxArguments& arguments, int64_t row)
      : g(arguments), count(arguments.columns) {
    const Offsets<3> at = offsets_of(g.rows, row);
    x = static_cast<const T*>(g.x) + at.of[0];
    mask = g.mask ? static_cast<const T*>(g.mask) + at.of[1] : nullptr;
    out = static_cast<T*>(g.out) + at.of[2];
    scale = static_cast<T>(g.scale);
    if (g.causal) {
      const int64_t query = row % g.queries, most = g.columns - query;  // no sum that could overflow
      const int64_t seen = g.causal_offset >= most ? g.columns : query + g.causal_offset + 1;
      count = seen < 0 ? 0 : seen < g.columns ? seen : g.columns;
    }
  }

  TL_DEVICE T first(int64_t column) const { return x[column * g.column_stride[0]]; }
  TL_DEVICE T second(int64_t column) const { return mask[column * g.column_stride[1]]; }
  TL_DEVICE T score(int64_t column) const {
    const T value = first(column);
    return mask ? fma_of(value, scale, second(column)) : value * scale;
  }
  TL_DEVICE void write(int64_t column, T value) const { out[column * g.column_stride[2]] = value; }
};

/// e^(score - top) of what is above -inf. Subtracting the largest keeps it within 0 … 1.
template <class T> TL_DEVICE T weight_of(T score, T top) { return exp_of(score - top); }

/// A row's largest score so far and the sum of the weights below it: corrected when a larger one comes.
template <class T> struct Online {
  T top;
  double sum;

  static TL_DEVICE Online none() { return {Limits<T>::lowest(), 0}; }
  TL_DEVICE void add(T score) {
    if (score > top) {
      sum *= exp_of(top - score);
      top = score;
    }
    if (score != Limits<T>::lowest()) sum += weight_of(score, top);  // NaN shows in the sum
  }
};
template <class T> struct JoinOnline {
  static TL_DEVICE double share(const Online<T>& part, T top) {
    return part.top == top ? part.sum : part.sum * exp_of(part.top - top);
  }
  static TL_DEVICE void join(Online<T>& s, const Online<T>& later) {
    const T top = later.top > s.top ? later.top : s.top;
    s.sum = share(s, top) + share(later, top);
    s.top = top;
  }
};

template <class T, bool is_block, int items> struct Softmax {
  using Members = Group<is_block>;

  static TL_DEVICE void row(const SoftmaxRow<T>& r) {
    const int first = Members::rank(), step = Members::size();
    T value[items], top = Limits<T>::lowest();
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      value[j] = column < r.count ? r.score(column) : Limits<T>::lowest();
      top = maximum(top, value[j]);
    }
    top = Members::template total<reduce_max<T>>(top);
    const bool nothing = top == Limits<T>::lowest();  // left, or -inf everywhere: 0 by definition
    TL_UNROLL for (int j = 0; j < items; ++j) value[j] = nothing ? T(0) : weight_of(value[j], top);
    const Total<T> sum =
        Members::template total<reduce_sum<T>>(total_of(Pairwise<T, items>::sum(value)));
    const T factor = nothing ? T(0) : static_cast<T>(1 / sum.wide());
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      if (column < r.g.columns) r.write(column, column < r.count ? value[j] * factor : T(0));
    }
  }

  static TL_DEVICE void gradient(const SoftmaxRow<T>& r) {
    const int first = Members::rank(), step = Members::size();
    T grad[items], soft[items], product[items];
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      grad[j] = column < r.g.columns ? r.first(column) : T(0);
      soft[j] = column < r.g.columns ? r.second(column) : T(0);
      product[j] = grad[j] * soft[j];
    }
    const Total<T> dot =
        Members::template total<reduce_sum<T>>(total_of(Pairwise<T, items>::sum(product)));
    const T mean = dot.result();
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      if (column < r.g.columns) r.write(column, r.scale * soft[j] * (grad[j] - mean));
    }
  }
};

/// Rows too long for registers: statistics in one pass, then the output.
template <class T> struct Softmax<T, true, 0> {
  using Members = Group<true>;

  static TL_DEVICE void row(const SoftmaxRow<T>& r) {
    Online<T> online = Online<T>::none();
    for (int64_t column = Members::rank(); column < r.count; column += Members::size())
      online.add(r.score(column));
    online = Members::template total<JoinOnline<T>>(online);
    const bool nothing = online.top == Limits<T>::lowest();
    const T factor =
        nothing ? static_cast<T>(online.sum) : static_cast<T>(1 / online.sum);  // 0, or NaN
    for (int64_t column = Members::rank(); column < r.g.columns; column += Members::size()) {
      const bool counts = column < r.count;
      r.write(column, !counts   ? T(0)
                      : nothing ? factor
                                : weight_of(r.score(column), online.top) * factor);
    }
  }

  static TL_DEVICE void gradient(const SoftmaxRow<T>& r) {
    RunningSum<T> dot = RunningSum<T>::zero();
    for (int64_t column = Members::rank(); column < r.g.columns; column += Members::size())
      dot.add(r.first(column) * r.second(column));
    const T mean = Members::template total<reduce_sum<T>>(dot.result()).result();
    for (int64_t column = Members::rank(); column < r.g.columns; column += Members::size())
      r.write(column, r.scale * r.second(column) * (r.first(column) - mean));
  }
};

template <class T, bool is_block, int items> TL_DEVICE void softmax_forward(const SoftmaxArguments& g) {
  using Members = Group<is_block>;
  for (int64_t i = Members::first(); i < g.rows.count; i += Members::count())
    Softmax<T, is_block, items>::row(SoftmaxRow<T>(g, i));
}

template <class T, bool is_block, int items>
TL_DEVICE void softmax_backward(const SoftmaxArguments& g) {
  using Members = Group<is_block>;
  for (int64_t i = Members::first(); i < g.rows.count; i += Members::count())
    Softmax<T, is_block, items>::gradient(SoftmaxRow<T>(g, i));
}

#endif

}  // namespace kernels
