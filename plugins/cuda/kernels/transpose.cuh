#pragma once

#include "index.cuh"

/// A copy whose two sides have their neighbours along different axes: by tiles through shared memory, so that both
/// sides are read and written side by side.
namespace kernels {

/// Rows lie side by side in the input, columns in the output.
struct TransposeArguments {
  const void* in;
  void* out;
  int64_t rows, columns;
  int64_t in_step;   // from one column to the next
  int64_t out_step;  // from one row to the next
  Nest<2> others;    // of the input and the output: all other axes
};

#if TL_ON_DEVICE

/// Blocks of 32 × 8 threads.
template <class T> TL_DEVICE void transpose(const TransposeArguments& g) {
  constexpr int size = 32, height = 8;
  __shared__ T tile[size][size + 1];  // so that a column lies in as many banks as a row
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t across = (g.columns + size - 1) / size, tiles = (g.rows + size - 1) / size * across;
  for (int64_t task = blockIdx.x; task < tiles * g.others.count; task += gridDim.x) {
    const int64_t row = task % tiles / across * size, column = task % tiles % across * size;
    const Offsets<2> at = offsets_of(g.others, task / tiles);
    const T* const in = static_cast<const T*>(g.in) + at.of[0];
    T* const out = static_cast<T*>(g.out) + at.of[1];
    TL_UNROLL for (int i = 0; i < size / height; ++i) {
      const int j = y + i * height;
      if (row + x < g.rows && column + j < g.columns)
        tile[j][x] = in[row + x + (column + j) * g.in_step];
    }
    __syncthreads();
    TL_UNROLL for (int i = 0; i < size / height; ++i) {
      const int j = y + i * height;
      if (row + j < g.rows && column + x < g.columns)
        out[(row + j) * g.out_step + column + x] = tile[x][j];
    }
    __syncthreads();  // the tile is free again
  }
}

#endif

}  // namespace kernels
