#pragma once

#include <utility>

#include "kernels/registers.h"

/// The innermost loop of matmul: a tile of `rows` × `vectors` registers of sums, to which each step of k
/// adds a row of B times every element of a column of A. B's rows are contiguous there; a tile always
/// spans whole vectors, whoever calls it for fewer columns gives it a scratch tile to write to.
namespace cpu_simd::TL_ISA {

template <class T> struct Tile {
  int64_t k;
  const T* a;
  int64_t a_row, a_step;  ///< not looked at where A is packed: element (i, k) at a[k * rows + i]
  const T* b;
  int64_t b_step;
  T* out;
  int64_t out_row;
  T alpha, beta;
  bool read_out;  ///< out = alpha * sums + beta * out, otherwise alpha * sums
};

/// The sums fill the registers, but for a row of B and one element of A.
#if defined(TL_ISA_avx512)
constexpr int max_tile_rows = 14;
#elif defined(TL_ISA_neon)
constexpr int max_tile_rows = 12;
#elif defined(TL_ISA_avx2)
constexpr int max_tile_rows = 6;
#else
constexpr int max_tile_rows = 4;
#endif
constexpr int tile_vectors = 2;
template <class T> constexpr int64_t tile_columns = tile_vectors* lanes<T>;

/// One column of A in the tile's rows, packed.
template <class T, int rows> struct PackedColumn {
  const T* p;
  CPU_SIMD_INLINE explicit PackedColumn(const Tile<T>& t) : p(t.a) {}
  CPU_SIMD_INLINE T operator[](int i) const { return p[i]; }
  CPU_SIMD_INLINE void next() { p += rows; }
};

/// One column of A where it lies. A pointer for every third row: the rows between are reached by the
/// addressing modes of the processor, and the pointers fit its registers.
template <class T, int rows> struct StridedColumn {
  const T* p[(rows + 2) / 3];
  int64_t row, step;
  CPU_SIMD_INLINE explicit StridedColumn(const Tile<T>& t) : row(t.a_row), step(t.a_step) {
    CPU_SIMD_UNROLL for (int i = 0; i < (rows + 2) / 3; ++i) p[i] = t.a + 3 * i * row;
  }
  CPU_SIMD_INLINE T operator[](int i) const { return p[i / 3][i % 3 * row]; }
  CPU_SIMD_INLINE void next() { CPU_SIMD_UNROLL for (int i = 0; i < (rows + 2) / 3; ++i) p[i] += step; }
};

template <class T, int rows, int vectors, template <class, int> class Column>
void compute_tile(const Tile<T>& t) noexcept {
  Vec<T> sums[rows][vectors];
  CPU_SIMD_UNROLL for (int i = 0; i < rows; ++i) {
    CPU_SIMD_UNROLL for (int j = 0; j < vectors; ++j) {
      __builtin_prefetch(t.out + i * t.out_row + j * lanes<T>, 1);
      sums[i][j] = splat(T(0));
    }
  }
  Column<T, rows> a(t);
  const T* b = t.b;
  for (int64_t k = t.k; k > 0; --k) {
    Vec<T> row[vectors];
    CPU_SIMD_UNROLL for (int j = 0; j < vectors; ++j) row[j] = load(b + j * lanes<T>);
    CPU_SIMD_UNROLL for (int i = 0; i < rows; ++i) {
      const Vec<T> x = splat(a[i]);
      CPU_SIMD_UNROLL for (int j = 0; j < vectors; ++j) sums[i][j] = fma(x, row[j], sums[i][j]);
    }
    a.next();
    b += t.b_step;
  }
  const Vec<T> alpha = splat(t.alpha), beta = splat(t.beta);
  CPU_SIMD_UNROLL for (int i = 0; i < rows; ++i) {
    CPU_SIMD_UNROLL for (int j = 0; j < vectors; ++j) {
      T* const out = t.out + i * t.out_row + j * lanes<T>;
      const Vec<T> sum = alpha * sums[i][j];
      store(out, t.read_out ? sum + beta * load(out) : sum);
    }
  }
}

template <class T> using TileFunction = void (*)(const Tile<T>&) noexcept;

/// compute_tile for each number of rows and vectors: table[vectors - 1][rows - 1].
template <class T> struct TileTable { TileFunction<T> at[tile_vectors][max_tile_rows]; };

template <class T, template <class, int> class Column, int... r>
constexpr TileTable<T> make_tile_table(std::integer_sequence<int, r...>) {
  return {{{compute_tile<T, r + 1, 1, Column>...}, {compute_tile<T, r + 1, 2, Column>...}}};
}

template <class T, template <class, int> class Column>
constexpr TileTable<T> tile_table =
    make_tile_table<T, Column>(std::make_integer_sequence<int, max_tile_rows>{});

template <class T> CPU_SIMD_INLINE int64_t vectors_for(int64_t columns) noexcept {
  return (columns + lanes<T> - 1) / lanes<T>;
}

/// Computes a tile of rows × columns; where the columns end within a vector or don't lie side by side,
/// by way of a scratch tile.
template <class T>
CPU_SIMD_APART void put_tile(const TileTable<T>& table, Tile<T> t, int64_t rows, int64_t columns,
                             int64_t out_column) noexcept {
  const int64_t vectors = vectors_for<T>(columns);
  const TileFunction<T> compute = table.at[vectors - 1][rows - 1];
  if (columns == vectors * lanes<T> && out_column == 1) return compute(t);
  alignas(64) T scratch[max_tile_rows * tile_columns<T>];
  T* const out = t.out;
  const int64_t out_row = t.out_row;
  t.out = scratch;
  t.out_row = vectors * lanes<T>;
  if (t.read_out)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < t.out_row; ++j)
        scratch[i * t.out_row + j] = j < columns ? out[i * out_row + j * out_column] : T(0);
  compute(t);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      out[i * out_row + j * out_column] = scratch[i * t.out_row + j];
}

}  // namespace cpu_simd::TL_ISA
