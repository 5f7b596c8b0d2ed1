#pragma once

#include "activation.cuh"
#include "convert.cuh"
#include "group.cuh"
#include "pack.cuh"

/// output = activation(alpha a b + beta output + bias) in tiles: a block computes a tile of the output, a thread a
/// few rows and columns of it in registers, from pieces of a and b that lie in shared memory, the next of which
/// are on their way meanwhile. Where the output has too few tiles to fill the device, k is cut into slices, whose
/// sums are kept apart and joined in order.
namespace kernels {

struct MatmulOperand {
  void* data;
  int64_t row, column;  // strides
  int32_t packs;        // neighbours along the unit stride may be read or written four at a time
  int32_t reserved;
};

struct MatmulArguments {
  MatmulOperand a, b, out, bias;
  void* partial;  // slices × batches × m × n, where there is more than one slice
  int64_t m, n, k;
  int64_t slice;  // of k
  int64_t slices;
  double alpha, beta;
  uint32_t activation;
  int32_t reserved;
  Nest<4> batch;  // of a, b, output and bias
};

/// In: the type of a and b, Sum: what is added up in, Out: the output's.
template <class In> struct SumOfProducts { using Type = In; };
template <> struct SumOfProducts<Half> { using Type = float; };
template <> struct SumOfProducts<BHalf> { using Type = float; };

/// An element in the type that is added up in, and back.
template <class T> TL_DEVICE T widened(T x) { return x; }
TL_DEVICE float widened(Half x) { return to_float(x); }
TL_DEVICE float widened(BHalf x) { return to_float(x); }
template <class Out> struct Narrowed {
  static TL_DEVICE Out of(Out x) { return x; }
};
template <> struct Narrowed<Half> {
  static TL_DEVICE Half of(float x) { return to_float16(x); }
};
template <> struct Narrowed<BHalf> {
  static TL_DEVICE BHalf of(float x) { return to_bfloat16(x); }
};

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

/// What follows the sum of one element.
template <class Sum, class Out> struct Finish {
  const MatmulArguments& g;
  Out* out;
  const Out* bias;
  Sum alpha, beta;
  bool reads;

  TL_DEVICE Finish(const MatmulArguments& arguments, const Offsets<4>& at)
      : g(arguments),
        out(static_cast<Out*>(g.out.data) + at.of[2]),
        bias(g.bias.data ? static_cast<const Out*>(g.bias.data) + at.of[3] : nullptr),
        alpha(Constant<Sum>::of(g.alpha)),
        beta(Constant<Sum>::of(g.beta)),
        reads(g.beta != 0) {}

  TL_DEVICE Out* place(int64_t i, int64_t j) const { return out + i * g.out.row + j * g.out.column; }

  TL_DEVICE Out operator()(int64_t i, int64_t j, Sum sum) const {
    Sum value = alpha * sum;
    if (reads) value = value + beta * widened(*place(i, j));
    if (bias) value = value + widened(bias[i * g.bias.row + j * g.bias.column]);
    return Narrowed<Out>::of(activate(g.activation, value));
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

/// Joins the slices.
template <class In, class Out> TL_DEVICE void finish_matmul(const MatmulArguments& g) {
  using Sum = typename SumOfProducts<In>::Type;
  const int64_t each = g.m * g.n, all = each * g.batch.count;
  const Sum* const partial = static_cast<const Sum*>(g.partial);
  for (int64_t element = first_index(); element < all; element += index_step()) {
    const int64_t entry = element / each, i = element % each / g.n, j = element % each % g.n;
    Sum sum = partial[element];
    for (int64_t slice = 1; slice < g.slices; ++slice) sum = sum + partial[slice * all + element];
    const Finish<Sum, Out> finish(g, offsets_of(g.batch, entry));
    *finish.place(i, j) = finish(i, j, sum);
  }
}

#endif

}  // namespace kernels
