#pragma once

#include "matmul.cuh"
#include "pack.cuh"

/// The product in tiles: a block computes a tile of the output, a thread a few rows and columns of it in registers,
/// from pieces of a and b that lie in shared memory, the next of which are on their way meanwhile.
namespace kernels {

#if TL_ON_DEVICE

/// One thread's share of a piece of a (rows × k) or of b (columns × k): four elements, along k or across,
/// whichever lies side by side in memory. read() takes the next piece along k.
template <class In, class Sum, int length, int depth> struct TileReader {
  static constexpr int pitch = length + 4;  // so that rows of shared memory begin in different banks

  const In* from;
  int64_t advance, neighbour;  // to the next piece, and to the next of the four
  int64_t left;                // along k
  int lines;                   // of this thread's that exist: 0 or 1 along k, 0 to 4 across
  int line, k;                 // its place in the piece
  bool along_k, packs;
  Sum value[pack_size];

  /// Strides from one line to the next and along k; lines from `line` on of `count`, k from `first` to `end`.
  TL_DEVICE TileReader(const MatmulOperand& x, int64_t offset, int64_t step, int64_t k_step,
                       int64_t first_line, int64_t count, int64_t first, int64_t end) {
    const int t = static_cast<int>(threadIdx.x);
    along_k = k_step == 1;
    packs = x.packs;
    line = along_k ? t / (depth / pack_size) : t % (length / pack_size) * pack_size;
    k = along_k ? t % (depth / pack_size) * pack_size : t / (length / pack_size);
    from = static_cast<const In*>(x.data) + offset + (first_line + line) * step + (first + k) * k_step;
    advance = depth * k_step;
    neighbour = along_k ? 1 : step;
    left = end - first - k;
    const int64_t exist = count - first_line - line;
    lines = exist > pack_size ? pack_size : static_cast<int>(exist);
  }

  TL_DEVICE void read() {
    if (packs && (along_k ? lines > 0 && left >= pack_size : lines == pack_size && left > 0)) {
      const Pack<In> pack = load_pack(from);
      TL_UNROLL for (int e = 0; e < pack_size; ++e) value[e] = widened(pack.of[e]);
    } else {
      TL_UNROLL for (int e = 0; e < pack_size; ++e) {
        const bool inside = along_k ? lines > 0 && e < left : e < lines && left > 0;
        value[e] = inside ? Sum(widened(from[e * neighbour])) : Sum();
      }
    }
    from += advance;
    left -= depth;
  }

  TL_DEVICE void put(Sum (&tile)[depth][pitch]) const {
    TL_UNROLL for (int e = 0; e < pack_size; ++e) {
      tile[along_k ? k + e : k][along_k ? line : line + e] = value[e];
    }
  }
};

/// Tiles of tile_m × tile_n, of which 256 threads compute thread_m × thread_n each.
template <class In, class Out, int tile_m, int tile_n, int depth, int thread_m, int thread_n>
struct Matmul {
  using Sum = typename SumOfProducts<In>::Type;
  using ReaderA = TileReader<In, Sum, tile_m, depth>;
  using ReaderB = TileReader<In, Sum, tile_n, depth>;
  static constexpr int groups_m = thread_m / pack_size, groups_n = thread_n / pack_size;
  static constexpr int across = tile_n / thread_n;  // threads side by side

  static_assert(tile_m / thread_m * across == 256, "256 threads");
  static_assert(tile_m * depth == 4 * 256 && tile_n * depth == 4 * 256, "one pack for each thread");

  /// A thread's rows and columns come in groups of four, far apart, so that a warp reads side by side.
  static TL_DEVICE int row_of(int group) {
    return group * (tile_m / groups_m) + static_cast<int>(threadIdx.x) / across * pack_size;
  }
  static TL_DEVICE int column_of(int group) {
    return group * (tile_n / groups_n) + static_cast<int>(threadIdx.x) % across * pack_size;
  }

  static TL_DEVICE void multiply(const Sum (&a)[depth][ReaderA::pitch],
                                 const Sum (&b)[depth][ReaderB::pitch],
                                 Sum (&sum)[thread_m][thread_n]) {
    TL_UNROLL for (int k = 0; k < depth; ++k) {
      Pack<Sum> x[groups_m], y[groups_n];
      TL_UNROLL for (int i = 0; i < groups_m; ++i) x[i] = load_pack(&a[k][row_of(i)]);
      TL_UNROLL for (int j = 0; j < groups_n; ++j) y[j] = load_pack(&b[k][column_of(j)]);
      TL_UNROLL for (int i = 0; i < thread_m; ++i) TL_UNROLL for (int j = 0; j < thread_n; ++j)
          sum[i][j] = fma_of(x[i / 4].of[i % 4], y[j / 4].of[j % 4], sum[i][j]);
    }
  }

  static TL_DEVICE void sum_tile(const MatmulArguments& g, const Offsets<4>& at, int64_t row,
                                 int64_t column, int64_t first_k, int64_t end_k,
                                 Sum (&sum)[thread_m][thread_n]) {
    __shared__ __align__(16) Sum a_piece[2][depth][ReaderA::pitch];
    __shared__ __align__(16) Sum b_piece[2][depth][ReaderB::pitch];
    ReaderA a(g.a, at.of[0], g.a.row, g.a.column, row, g.m, first_k, end_k);
    ReaderB b(g.b, at.of[1], g.b.column, g.b.row, column, g.n, first_k, end_k);
    __syncthreads();  // nobody reads the pieces of an earlier tile any more
    a.read(), b.read();
    a.put(a_piece[0]), b.put(b_piece[0]);
    __syncthreads();
    int side = 0;
    for (int64_t k = first_k + depth; k < end_k; k += depth) {
      a.read(), b.read();
      multiply(a_piece[side], b_piece[side], sum);
      side ^= 1;
      a.put(a_piece[side]), b.put(b_piece[side]);
      __syncthreads();
    }
    multiply(a_piece[side], b_piece[side], sum);
  }

  static TL_DEVICE void write_tile(const MatmulArguments& g, const Offsets<4>& at, int64_t row,
                                   int64_t column, const Sum (&sum)[thread_m][thread_n]) {
    const Finish<Sum, Out> finish(g, at);
    TL_UNROLL for (int r = 0; r < thread_m; ++r) {
      const int64_t i = row + row_of(r / 4) + r % 4;
      if (i >= g.m) continue;
      TL_UNROLL for (int group = 0; group < groups_n; ++group) {
        const int64_t j = column + column_of(group);
        const bool whole = j + pack_size <= g.n;
        Pack<Out> pack = {};
        TL_UNROLL for (int e = 0; e < pack_size; ++e) if (j + e < g.n) pack.of[e] =
            finish(i, j + e, sum[r][group * 4 + e]);
        if (whole && g.out.packs) {
          store_pack(finish.place(i, j), pack);
        } else {
          TL_UNROLL for (int e = 0; e < pack_size; ++e) if (j + e < g.n) * finish.place(i, j + e) =
              pack.of[e];
        }
      }
    }
  }

  static TL_DEVICE void keep_tile(const MatmulArguments& g, int64_t entry, int64_t row, int64_t column,
                                  const Sum (&sum)[thread_m][thread_n]) {
    Sum* const to = static_cast<Sum*>(g.partial) + entry * g.m * g.n;
    TL_UNROLL for (int r = 0; r < thread_m; ++r) {
      const int64_t i = row + row_of(r / 4) + r % 4;
      TL_UNROLL for (int c = 0; c < thread_n; ++c) {
        const int64_t j = column + column_of(c / 4) + c % 4;
        if (i < g.m && j < g.n) to[i * g.n + j] = sum[r][c];
      }
    }
  }

  static TL_DEVICE void tiles(const MatmulArguments& g) {
    const int64_t across_n = (g.n + tile_n - 1) / tile_n,
                  tiles = (g.m + tile_m - 1) / tile_m * across_n;
    const int64_t tasks = tiles * g.slices * g.batch.count;
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
      const int64_t tile = task % tiles, rest = task / tiles;
      const int64_t slice = rest % g.slices, entry = rest / g.slices;
      const int64_t row = tile / across_n * tile_m, column = tile % across_n * tile_n;
      const int64_t first_k = slice * g.slice;
      const int64_t end_k = first_k + g.slice < g.k ? first_k + g.slice : g.k;
      const Offsets<4> at = offsets_of(g.batch, entry);
      Sum sum[thread_m][thread_n] = {};
      if (first_k < end_k) sum_tile(g, at, row, column, first_k, end_k, sum);
      if (g.slices > 1)
        keep_tile(g, slice * g.batch.count + entry, row, column, sum);
      else
        write_tile(g, at, row, column, sum);
    }
  }
};

#endif

}  // namespace kernels
