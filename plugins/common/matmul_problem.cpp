#include "matmul_problem.h"

#include <algorithm>
#include <utility>

#include "check_common.h"

namespace plugins {
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
  p.is_empty = false;
  if (p.k == 0) p.alpha = 0;
  drop_single_batches(p);
  fold_batch_into_rows(p);
  const bool by_columns = p.m > 1 && p.n > 1 && p.out.column != 1 && p.out.row == 1;
  if (by_columns || (p.n == 1 && p.m != 1)) transpose(p);
  for (int64_t d = 0; d < p.batch_rank; ++d) p.batches *= p.batch_extent[d];
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

}  // namespace plugins
