#include "matmul_plan.h"

#include <algorithm>

namespace cpu_simd {

MatmulPath choose_path(const MatmulProblem& p) noexcept {
  if (p.is_empty) return MatmulPath::empty;
  if (p.in_type == key_int64) return MatmulPath::integer;
  const int64_t item = p.in_type == key_float64 ? 8 : 4;
  const bool half = p.in_type != key_float32 && p.in_type != key_float64;
  if (half) return MatmulPath::blocked;
  if (p.m == 1 && p.k > 0 && (p.b.column == 1 || p.b.row == 1)) return MatmulPath::vector;
  // Checked one by one: the product of large extents may not fit.
  const int64_t limit = direct_bytes / item;
  const bool small = p.m <= limit && p.n <= limit && p.k <= limit && (p.m + p.n) * p.k <= limit;
  const int64_t packed_columns = p.b.column == 1 ? panel_columns : p.n + panel_columns;
  if (small && packed_columns * p.k * item <= direct_stack_bytes) return MatmulPath::direct;
  return MatmulPath::blocked;
}

namespace {

int64_t round_up(int64_t value, int64_t step) noexcept { return (value + step - 1) / step * step; }

/// The largest piece when `total` is cut into the fewest nearly equal ones of at most `limit`.
int64_t even_block(int64_t total, int64_t limit) noexcept {
  const int64_t pieces = std::max<int64_t>(1, (total + limit - 1) / limit);
  return (total + pieces - 1) / pieces;
}

}  // namespace

MatmulBlocks matmul_blocks(const MatmulProblem& p) noexcept {
  const int64_t item = p.in_type == key_float64 ? 8 : 4;
  MatmulBlocks blocks;
  blocks.block_m = even_block(p.m, 2048);
  blocks.block_n = round_up(even_block(p.n, 2048), panel_columns);
  blocks.block_k = even_block(p.k, 2048 / item);
  const int64_t panels = blocks.block_m / least_tile_rows + 1;
  blocks.a_bytes = round_up((blocks.block_m * blocks.block_k + panels * panel_slack) * item, 64);
  blocks.b_bytes = round_up(blocks.block_n * blocks.block_k * item, 64);
  blocks.out_bytes = p.narrows() ? blocks.block_m * blocks.block_n * item : 0;
  return blocks;
}

}  // namespace cpu_simd
