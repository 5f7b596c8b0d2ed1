#pragma once

#include "layernorm.cuh"

/// The gradients of layer normalisation: of the input row by row, of gamma and beta column by column.
namespace kernels {

struct LayernormGradientArguments {
  const void *grad, *x, *gamma, *mean, *rstd;  // gamma may be NULL
  void* dinput;
  Nest<5> rows;     // of grad, x, mean, rstd and dinput
  Nest<4> columns;  // of grad, x, gamma and dinput
};

/// Gradients of gamma and beta: the rows are cut into pieces, whose sums are kept and then joined in order.
struct LayernormSumsArguments {
  const void *grad, *x, *mean, *rstd;
  void* partial;         // pieces × columns × TwoTotals
  void *dgamma, *dbeta;  // each may be NULL
  int64_t piece;         // rows
  int64_t pieces;
  Nest<4> rows;     // of grad, x, mean and rstd
  Nest<4> columns;  // of grad, x, dgamma and dbeta
};

#if TL_ON_DEVICE

/// dinput = rstd (h - mean(h) - n mean(h n)), with h = grad gamma and n the normalised input.
template <class T> struct LayernormGradientRow {
  const LayernormGradientArguments& g;
  Offsets<5> at;
  T mean, rstd;

  TL_DEVICE LayernormGradientRow(const LayernormGradientArguments& arguments, int64_t row)
      : g(arguments), at(offsets_of(arguments.rows, row)) {
    mean = static_cast<const T*>(g.mean)[at.of[2]];
    rstd = static_cast<const T*>(g.rstd)[at.of[3]];
  }

  TL_DEVICE T weighted(const Offsets<4>& column) const {
    const T grad = static_cast<const T*>(g.grad)[at.of[0] + column.of[0]];
    return g.gamma ? grad * static_cast<const T*>(g.gamma)[column.of[2]] : grad;
  }
  TL_DEVICE T normal(const Offsets<4>& column) const {
    return (static_cast<const T*>(g.x)[at.of[1] + column.of[1]] - mean) * rstd;
  }
  TL_DEVICE void write(const Offsets<4>& column, T h, T n, T mean_h, T mean_hn) const {
    static_cast<T*>(g.dinput)[at.of[4] + column.of[3]] = rstd * (h - mean_h - n * mean_hn);
  }
};

template <class T, bool is_block, int items> struct LayernormGradient {
  using Members = Group<is_block>;

  static TL_DEVICE void row(const LayernormGradientRow<T>& r) {
    const int64_t count = r.g.columns.count;
    const int first = Members::rank(), step = Members::size();
    T h[items], n[items], hn[items];
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      h[j] = n[j] = T(0);
      if (column < count) {
        const Offsets<4> at = line_offsets(r.g.columns, column);
        h[j] = r.weighted(at);
        n[j] = r.normal(at);
      }
      hn[j] = h[j] * n[j];
    }
    TwoTotals<T> sums = {total_of(Pairwise<T, items>::sum(h)), total_of(Pairwise<T, items>::sum(hn))};
    sums = Members::template total<AddTwo<T>>(sums);
    const T mean_h = near_mean(sums.first, count), mean_hn = near_mean(sums.second, count);
    TL_UNROLL for (int j = 0; j < items; ++j) {
      const int64_t column = first + j * step;
      if (column < count) r.write(line_offsets(r.g.columns, column), h[j], n[j], mean_h, mean_hn);
    }
  }
};

template <class T> struct LayernormGradient<T, true, 0> {
  using Members = Group<true>;

  static TL_DEVICE void row(const LayernormGradientRow<T>& r) {
    const int64_t count = r.g.columns.count;
    const int first = Members::rank(), step = Members::size();
    RunningSum<T> h = RunningSum<T>::zero(), hn = RunningSum<T>::zero();
    for (int64_t column = first; column < count; column += step) {
      const Offsets<4> at = offsets_of(r.g.columns, column);
      const T weighted = r.weighted(at);
      h.add(weighted);
      hn.add(weighted * r.normal(at));
    }
    TwoTotals<T> sums = {h.result(), hn.result()};
    sums = Members::template total<AddTwo<T>>(sums);
    const T mean_h = near_mean(sums.first, count), mean_hn = near_mean(sums.second, count);
    for (int64_t column = first; column < count; column += step) {
      const Offsets<4> at = offsets_of(r.g.columns, column);
      r.write(at, r.weighted(at), r.normal(at), mean_h, mean_hn);
    }
  }
};

template <class T, bool is_block, int items>
TL_DEVICE void layernorm_backward(const LayernormGradientArguments& g) {
  using Members = Group<is_block>;
  for (int64_t i = Members::first(); i < g.rows.count; i += Members::count())
    LayernormGradient<T, is_block, items>::row(LayernormGradientRow<T>(g, i));
}

/// Blocks of 32 × 8 threads, for 32 columns and a piece of the rows.
template <class T> struct LayernormSums {
  static constexpr int width = 32, height = 8;

  static TL_DEVICE TwoTotals<T> none() { return {Total<T>::zero(), Total<T>::zero()}; }

  /// The block's rows of threads put their sums together; the first of them gets the result.
  static TL_DEVICE void join(TwoTotals<T>& sums) {
    __shared__ Words<TwoTotals<T>> part[height][width];
    part[threadIdx.y][threadIdx.x].state = sums;
    __syncthreads();
    if (threadIdx.y == 0)
      for (int y = 1; y < height; ++y) AddTwo<T>::join(sums, part[y][threadIdx.x].state);
    __syncthreads();
  }

  static TL_DEVICE void pieces(const LayernormSumsArguments& g) {
    const int64_t count = g.columns.count, tiles = (count + width - 1) / width;
    for (int64_t task = blockIdx.x; task < tiles * g.pieces; task += gridDim.x) {
      const int64_t column = task % tiles * width + threadIdx.x, first = task / tiles * g.piece;
      const int64_t end = first + g.piece < g.rows.count ? first + g.piece : g.rows.count;
      TwoTotals<T> sums = none();
      if (column < count) {
        const Offsets<4> at = offsets_of(g.columns, column);
        for (int64_t i = first + threadIdx.y; i < end; i += height) {
          const Offsets<4> row = offsets_of(g.rows, i);
          const T grad = static_cast<const T*>(g.grad)[row.of[0] + at.of[0]];
          const T differs = static_cast<const T*>(g.x)[row.of[1] + at.of[1]] -
                            static_cast<const T*>(g.mean)[row.of[2]];
          sums.first.add(grad * (differs * static_cast<const T*>(g.rstd)[row.of[3]]));
          sums.second.add(grad);
        }
      }
      join(sums);
      if (threadIdx.y == 0 && column < count)
        static_cast<TwoTotals<T>*>(g.partial)[task / tiles * count + column] = sums;
    }
  }

  static TL_DEVICE void finish(const LayernormSumsArguments& g) {
    const int64_t count = g.columns.count;
    const TwoTotals<T>* const partial = static_cast<const TwoTotals<T>*>(g.partial);
    for (int64_t tile = blockIdx.x; tile * width < count; tile += gridDim.x) {
      const int64_t column = tile * width + threadIdx.x;
      TwoTotals<T> sums = none();
      if (column < count)
        for (int64_t piece = threadIdx.y; piece < g.pieces; piece += height)
          AddTwo<T>::join(sums, partial[piece * count + column]);
      join(sums);
      if (threadIdx.y != 0 || column >= count) continue;
      const Offsets<4> at = offsets_of(g.columns, column);
      if (g.dgamma) static_cast<T*>(g.dgamma)[at.of[2]] = sums.first.result();
      if (g.dbeta) static_cast<T*>(g.dbeta)[at.of[3]] = sums.second.result();
    }
  }
};

#endif

}  // namespace kernels
