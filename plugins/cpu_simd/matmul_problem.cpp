#include "matmul_problem.h"

#include <algorithm>
#include <utility>

#include "shared.h"


namespace cpu_simd {
namespace {

MatmulOperand operand(const tl_view& view) noexcept {
  const int64_t batch_rank = int64_t{view.rank} - 2;
  MatmulOperand result;
  result.data = static_cast<char*>(view.base);
  if (result.data) result.data += view.byte_offset;
  std::copy_n(view.stride, batch_rank, result.batch);
  result.row = view.stride[batch_rank];
  result.column = view.stride[batch_rank + 1];
  return result;
}

/// Takes dimension d out of the batch.
void drop_batch(MatmulProblem& p, int64_t d) noexcept {
  --p.batch_rank;
  for (MatmulOperand* x : {&p.a, &p.b, &p.out, &p.bias})
    std::copy_n(x->batch + d + 1, p.batch_rank - d, x->batch + d);
  std::copy_n(p.batch_extent + d + 1, p.batch_rank - d, p.batch_extent + d);
}

void drop_single_batches(MatmulProblem& p) noexcept {
  for (int64_t d = p.batch_rank - 1; d >= 0; --d)
    if (p.batch_extent[d] == 1) drop_batch(p, d);
}

/// Where B is the same for all entries of the last batch dimension and that dimension continues the rows
/// of everything else, it is one matrix with more rows: (B, T, D) @ (D, N) is (B*T, D) @ (D, N).
void fold_batch_into_rows(MatmulProblem& p) noexcept {
  while (p.batch_rank > 0) {
    const int64_t d = p.batch_rank - 1;
    const auto continues = [&](const MatmulOperand& x) { return x.batch[d] == x.row * p.m; };
    if (p.b.batch[d] != 0) return;
    if (p.m == 1) {
      for (MatmulOperand* x : {&p.a, &p.out, &p.bias}) x->row = x->batch[d];
    } else if (!continues(p.a) || !continues(p.out) || (p.has_bias && !continues(p.bias))) {
      return;
    }
    p.m *= p.batch_extent[d];
    drop_batch(p, d);
  }
}

/// (A B)ᵀ = Bᵀ Aᵀ
void transpose(MatmulProblem& p) noexcept {
  std::swap(p.a, p.b);
  std::swap(p.m, p.n);
  for (MatmulOperand* x : {&p.a, &p.b, &p.out, &p.bias}) std::swap(x->row, x->column);
}

MatmulPath choose_path(const MatmulProblem& p) noexcept {
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

int64_t round_up(int64_t value, int64_t step) noexcept { return (value + step - 1) / step * step; }

/// The largest piece when `total` is cut into the fewest nearly equal ones of at most `limit`.
int64_t even_block(int64_t total, int64_t limit) noexcept {
  const int64_t pieces = std::max<int64_t>(1, (total + limit - 1) / limit);
  return (total + pieces - 1) / pieces;
}

}  // namespace

bool MatmulProblem::narrows() const noexcept {
  return out_type == key_float16 || out_type == key_bfloat16;
}

MatmulProblem normalise_matmul(const tl_matmul_args& args) noexcept {
  MatmulProblem p;
  p.a = operand(*args.a);
  p.b = operand(*args.b);
  p.out = operand(*args.output);
  p.has_bias = args.bias != nullptr;
  if (p.has_bias) p.bias = operand(*args.bias);
  p.in_type = dtype_key(args.a->dtype);
  p.out_type = dtype_key(args.output->dtype);
  p.activation = args.activation;
  p.alpha = args.alpha;
  p.beta = args.beta;
  p.batch_rank = int64_t{args.output->rank} - 2;
  std::copy_n(args.output->extent, p.batch_rank, p.batch_extent);
  p.m = args.output->extent[p.batch_rank];
  p.n = args.output->extent[p.batch_rank + 1];
  p.k = args.a->extent[p.batch_rank + 1];
  for (int64_t d = 0; d < int64_t{args.output->rank}; ++d)
    if (args.output->extent[d] == 0) return p;  // nothing to do, whatever the other extents
  if (p.k == 0) p.alpha = 0;
  drop_single_batches(p);
  fold_batch_into_rows(p);
  const bool by_columns = p.m > 1 && p.n > 1 && p.out.column != 1 && p.out.row == 1;
  if (by_columns || (p.n == 1 && p.m != 1)) transpose(p);
  for (int64_t d = 0; d < p.batch_rank; ++d) p.batches *= p.batch_extent[d];
  p.path = choose_path(p);
  return p;
}

int64_t batch_offset(const MatmulProblem& problem, const MatmulOperand& operand,
                     int64_t index) noexcept {
  int64_t offset = 0;
  for (int64_t d = problem.batch_rank - 1; d >= 0; --d) {
    offset += index % problem.batch_extent[d] * operand.batch[d];
    index /= problem.batch_extent[d];
  }
  return offset;
}

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
