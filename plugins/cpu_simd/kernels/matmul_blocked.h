#pragma once

#include "kernels/matmul_finish.h"
#include "kernels/matmul_pack.h"
#include "kernels/matmul_tile.h"
#include "parallel.h"

/// Matrices of any size: for each block of the output and each piece of K, A and B are packed into
/// panels (in parallel), then the tiles are computed from them (in parallel). A panel of A is a tile's
/// rows, a panel of B its columns. Tiles work on groups of panels that fit the second-level cache.
namespace cpu_simd::TL_ISA {

/// Less work than this is done in the calling thread.
constexpr double serial_flops = 1 << 20;

template <class F> CPU_SIMD_INLINE void parallel_if(bool parallel, int64_t count, const F& f) noexcept {
  if (parallel) return parallel_for(count, f);
  for (int64_t i = 0; i < count; ++i) f(i);
}

/// S: the type of A and B, O: of the output, T: of the sums.
template <class T, class S, class O> class Blocked {
 public:
  Blocked(const MatmulProblem& problem, char* workspace) noexcept
      : p_(problem),
        blocks_(matmul_blocks(problem)),
        packed_a_(reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(workspace) + 63) & ~uintptr_t{63})),
        packed_b_(packed_a_ + blocks_.a_bytes / static_cast<int64_t>(sizeof(T))),
        sums_(packed_b_ + blocks_.b_bytes / static_cast<int64_t>(sizeof(T))),
        parallel_(problem.flops() >= serial_flops) {}

  void run() noexcept {
    for (int64_t entry = 0; entry < p_.batches; ++entry) {
      a_ = reinterpret_cast<const S*>(p_.a.data) + batch_offset(p_, p_.a, entry);
      b_ = reinterpret_cast<const S*>(p_.b.data) + batch_offset(p_, p_.b, entry);
      const Finisher<T, O> finisher(p_, entry);
      for (first_row_ = 0; first_row_ < p_.m; first_row_ += blocks_.block_m)
        for (first_column_ = 0; first_column_ < p_.n; first_column_ += blocks_.block_n) block(finisher);
    }
  }

 private:
  static constexpr bool narrows = !std::is_same_v<T, O>;
  static constexpr int64_t columns = tile_columns<T>;
  static constexpr int64_t group_rows = 6, group_columns = 8;  // in panels

  CPU_SIMD_APART void block(const Finisher<T, O>& finisher) noexcept {
    rows_ = least(blocks_.block_m, p_.m - first_row_);
    columns_ = least(blocks_.block_n, p_.n - first_column_);
    row_panels_ = ceil_div(rows_, max_tile_rows);
    column_panels_ = ceil_div(columns_, columns);
    for (first_k_ = 0;; first_k_ += blocks_.block_k) {
      k_ = least(blocks_.block_k, p_.k - first_k_);
      pack();
      tiles(finisher);
      if (first_k_ + k_ >= p_.k) return;
    }
  }

  void pack() noexcept {
    const int64_t panels = row_panels_ + column_panels_;
    const int64_t grain = 1 + (1 << 16) / (k_ * columns + 1);
    parallel_if(parallel_, ceil_div(panels, grain), [&](int64_t i) noexcept {
      const int64_t end = least(panels, (i + 1) * grain);
      for (int64_t panel = i * grain; panel < end; ++panel)
        if (panel < row_panels_)
          pack_rows(panel);
        else
          pack_columns(panel - row_panels_);
    });
  }

  void pack_rows(int64_t panel) noexcept {
    const int64_t row = row_start(panel), rows = row_start(panel + 1) - row;
    const Lines<S> lines{a_ + (first_row_ + row) * p_.a.row + first_k_ * p_.a.column, p_.a.row,
                         p_.a.column, rows, k_};
    pack_panel<T>(lines, a_panel(panel), rows);
  }

  void pack_columns(int64_t panel) noexcept {
    const int64_t column = panel * columns, count = least(columns, columns_ - column);
    const Lines<S> lines{b_ + (first_column_ + column) * p_.b.column + first_k_ * p_.b.row, p_.b.column,
                         p_.b.row, count, k_};
    pack_panel<T>(lines, packed_b_ + column * k_, vectors_for<T>(count) * lanes<T>);
  }

  void tiles(const Finisher<T, O>& finisher) noexcept {
    const int64_t rows = ceil_div(row_panels_, group_rows);
    const int64_t count = rows * ceil_div(column_panels_, group_columns);
    parallel_if(parallel_, count, [&](int64_t i) noexcept {
      const int64_t row = i % rows * group_rows, column = i / rows * group_columns;
      const int64_t row_end = least(row_panels_, row + group_rows);
      const int64_t column_end = least(column_panels_, column + group_columns);
      for (int64_t c = column; c < column_end; ++c)
        for (int64_t r = row; r < row_end; ++r) tile(finisher, r, c);
    });
  }

  CPU_SIMD_APART void tile(const Finisher<T, O>& finisher, int64_t row_panel,
                           int64_t column_panel) noexcept {
    const int64_t row = row_start(row_panel), rows = row_start(row_panel + 1) - row;
    const int64_t column = column_panel * columns, count = least(columns, columns_ - column);
    const bool first = first_k_ == 0, last = first_k_ + k_ >= p_.k;
    Tile<T> t{};
    t.k = k_;
    t.a = a_panel(row_panel);
    t.b = packed_b_ + column * k_;
    t.b_step = vectors_for<T>(count) * lanes<T>;
    T* const sums = sums_ + row * blocks_.block_n + column;
    if constexpr (narrows) {
      t.out = sums;
      t.out_row = blocks_.block_n;
      t.alpha = 1;
      t.beta = 1;
      t.read_out = !first;
      put_tile(tile_table<T, PackedColumn>, t, rows, count, 1);
    } else {
      t.out = finisher.out(first_row_ + row, first_column_ + column);
      t.out_row = p_.out.row;
      t.alpha = static_cast<T>(p_.alpha);
      t.beta = first ? static_cast<T>(p_.beta) : T(1);
      t.read_out = !first || p_.beta != 0;
      put_tile(tile_table<T, PackedColumn>, t, rows, count, p_.out.column);
    }
    if (last) finisher(first_row_ + row, first_column_ + column, rows, count, sums, blocks_.block_n);
  }

  int64_t row_start(int64_t panel) const noexcept { return piece_start(rows_, row_panels_, panel); }
  T* a_panel(int64_t panel) const noexcept {
    return packed_a_ + row_start(panel) * k_ + panel * panel_slack;
  }

  const MatmulProblem& p_;
  const MatmulBlocks blocks_;
  T* const packed_a_;
  T* const packed_b_;
  T* const sums_;
  const bool parallel_;
  const S* a_ = nullptr;
  const S* b_ = nullptr;
  int64_t first_row_ = 0, first_column_ = 0, first_k_ = 0;  // the block in work,
  int64_t rows_ = 0, columns_ = 0, k_ = 0;                  // its extents
  int64_t row_panels_ = 0, column_panels_ = 0;
};

}  // namespace cpu_simd::TL_ISA
