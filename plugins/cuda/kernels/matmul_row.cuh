#pragma once

#include "group.cuh"
#include "matmul.cuh"
#include "pack.cuh"

namespace kernels {

#if TL_ON_DEVICE

/// One row times b: memory is all that counts. Slices are as in tiles.
///   columns   neighbours in a row of b lie side by side: 32 × 8 threads take four columns and every eighth k each
///   rows      neighbours along k do: a warp for each column
template <class In, class Out> struct RowProduct {
  using Sum = typename SumOfProducts<In>::Type;
  static constexpr int width = 32 * pack_size, height = 8;

  struct Add {
    static TL_DEVICE void join(Sum& sum, const Sum& later) { sum = sum + later; }
  };

  /// A task's place: tile fastest, then the slice, then the entry of the batch.
  struct Task {
    int64_t tile, slice, entry, first, end;
    Offsets<4> at;

    TL_DEVICE Task(const MatmulArguments& g, int64_t task, int64_t tiles) {
      tile = task % tiles;
      slice = task / tiles % g.slices;
      entry = task / tiles / g.slices;
      first = slice * g.slice;
      end = first + g.slice < g.k ? first + g.slice : g.k;
      at = offsets_of(g.batch, entry);
    }
    TL_DEVICE const In* a(const MatmulArguments& g) const {
      return static_cast<const In*>(g.a.data) + at.of[0];
    }
    TL_DEVICE const In* b(const MatmulArguments& g, int64_t column) const {
      return static_cast<const In*>(g.b.data) + at.of[1] + column * g.b.column;
    }
    TL_DEVICE void keep(const MatmulArguments& g, int64_t column, Sum sum) const {
      if (g.slices > 1) {
        static_cast<Sum*>(g.partial)[(slice * g.batch.count + entry) * g.n + column] = sum;
      } else {
        const Finish<Sum, Out> finish(g, at);
        *finish.place(0, column) = finish(0, column, sum);
      }
    }
  };

  static TL_DEVICE void columns(const MatmulArguments& g) {
    __shared__ Words<Sum> part[height][width];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), t = y * 32 + x;
    const int64_t tiles = (g.n + width - 1) / width;
    for (int64_t i = blockIdx.x; i < tiles * g.slices * g.batch.count; i += gridDim.x) {
      const Task task(g, i, tiles);
      const int64_t column = task.tile * width + x * pack_size;
      const bool packs = g.b.packs && column + pack_size <= g.n;
      const In* const a = task.a(g);
      const In* const b = task.b(g, column);
      Sum sum[pack_size] = {};
      for (int64_t k = task.first + y; k < task.end; k += height) {
        const Sum factor = widened(a[k * g.a.column]);
        Pack<In> pack = {};
        if (packs) {
          pack = load_pack(b + k * g.b.row);
        } else {
          TL_UNROLL for (int e = 0; e < pack_size; ++e) {
            if (column + e < g.n) pack.of[e] = b[k * g.b.row + e * g.b.column];
          }
        }
        TL_UNROLL for (int e = 0; e < pack_size; ++e) sum[e] =
            fma_of(factor, Sum(widened(pack.of[e])), sum[e]);
      }
      TL_UNROLL for (int e = 0; e < pack_size; ++e) part[y][x * pack_size + e].state = sum[e];
      __syncthreads();
      if (t < width && task.tile * width + t < g.n) {
        Sum all = part[0][t].state;
        TL_UNROLL for (int row = 1; row < height; ++row) Add::join(all, part[row][t].state);
        task.keep(g, task.tile * width + t, all);
      }
      __syncthreads();  // part is free again
    }
  }

  static TL_DEVICE void rows(const MatmulArguments& g) {
    using Members = Group<false>;
    for (int64_t i = Members::first(); i < g.n * g.slices * g.batch.count; i += Members::count()) {
      const Task task(g, i, g.n);
      const In* const a = task.a(g);
      const In* const b = task.b(g, task.tile);
      Sum sum = Sum();
      for (int64_t k = task.first + Members::rank(); k < task.end; k += Members::size())
        sum = fma_of(Sum(widened(a[k * g.a.column])), Sum(widened(b[k * g.b.row])), sum);
      sum = Members::template total<Add>(sum);
      if (Members::rank() == 0) task.keep(g, task.tile, sum);
    }
  }
};

#endif

}  // namespace kernels
