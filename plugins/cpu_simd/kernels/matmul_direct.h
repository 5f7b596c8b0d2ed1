#pragma once

#include "kernels/matmul_finish.h"
#include "kernels/matmul_pack.h"
#include "kernels/matmul_tile.h"
#include "parallel.h"

/// Small matrices, where packing would cost as much as it saves: A is read where it lies, so are the
/// panels of B whose columns lie side by side; the others are packed on the stack. Batches are spread
/// over the threads.
namespace cpu_simd::TL_ISA {

template <class T>
void direct_columns(const MatmulProblem& p, const Finisher<T, T>& finisher, const T* a, Tile<T> t,
                    int64_t column, int64_t count) noexcept {
  const int64_t panels = ceil_div(p.m, max_tile_rows);
  for (int64_t panel = 0; panel < panels; ++panel) {
    const int64_t row = piece_start(p.m, panels, panel);
    const int64_t rows = piece_start(p.m, panels, panel + 1) - row;
    t.a = a + row * p.a.row;
    t.out = finisher.out(row, column);
    put_tile(tile_table<T, StridedColumn>, t, rows, count, p.out.column);
    finisher(row, column, rows, count, nullptr, 0);
  }
}

template <class T> void direct_entry(const MatmulProblem& p, int64_t entry) noexcept {
  alignas(64) T packed[direct_stack_bytes / sizeof(T)];
  const T* const a = reinterpret_cast<const T*>(p.a.data) + batch_offset(p, p.a, entry);
  const T* const b = reinterpret_cast<const T*>(p.b.data) + batch_offset(p, p.b, entry);
  const Finisher<T, T> finisher(p, entry);
  Tile<T> t{};
  t.k = p.k;
  t.a_row = p.a.row;
  t.a_step = p.a.column;
  t.out_row = p.out.row;
  t.alpha = static_cast<T>(p.alpha);
  t.beta = static_cast<T>(p.beta);
  t.read_out = p.beta != 0;
  for (int64_t column = 0; column < p.n; column += tile_columns<T>) {
    const int64_t count = least(tile_columns<T>, p.n - column);
    t.b = b + column * p.b.column;
    t.b_step = p.b.row;
    if (p.b.column != 1 || count % lanes<T> != 0) {
      t.b_step = vectors_for<T>(count) * lanes<T>;
      pack_panel<T>(Lines<T>{t.b, p.b.column, p.b.row, count, p.k}, packed, t.b_step);
      t.b = packed;
    }
    direct_columns(p, finisher, a, t, column, count);
  }
}

template <class T> void run_direct(const MatmulProblem& p) noexcept {
  const double grain = (1 << 20) / (p.flops() + 1024);
  parallel_ranges(p.batches, grain > 1 ? static_cast<int64_t>(grain) : 1,
                  [&](int64_t begin, int64_t end) noexcept {
                    for (int64_t entry = begin; entry < end; ++entry) direct_entry<T>(p, entry);
                  });
}

}  // namespace cpu_simd::TL_ISA
