#pragma once

#include <torchlight/plugin.h>

/// A matmul call in its normal form, and the choice of how it is done. Compiled once, for the baseline:
/// `supports` and the kernels of every instruction set use the same.
namespace cpu_simd {

/// One operand; strides in elements. `batch` has the strides of the problem's batch dimensions.
struct MatmulOperand {
  char* data = nullptr;
  int64_t row = 0;
  int64_t column = 0;
  int64_t batch[TL_MAX_RANK] = {};
};

enum class MatmulPath {
  empty,    ///< nothing to write
  integer,  ///< int64: simple loops
  vector,   ///< one row times a matrix with a contiguous dimension
  direct,   ///< small: operands are read where they lie
  blocked,  ///< packed blocks in the workspace
};

/// out[m,n] = activation(alpha * a[m,k] b[k,n] + beta * out + bias), `batches` times.
struct MatmulProblem {
  MatmulOperand a, b, out, bias;
  bool has_bias = false;
  uint32_t in_type = 0;   ///< dtype_key of a and b
  uint32_t out_type = 0;  ///< of out and bias
  uint32_t activation = TL_FN_NONE;
  double alpha = 1, beta = 0;
  int64_t m = 0, n = 0, k = 0;
  int64_t batch_rank = 0, batches = 1;
  int64_t batch_extent[TL_MAX_RANK] = {};
  MatmulPath path = MatmulPath::empty;

  /// Has out another type than the sums are kept in (16 bits, summed in float32)?
  bool narrows() const noexcept;

  double flops() const noexcept {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Brings a call that was found acceptable into its normal form: batch dimensions that continue the rows
/// are folded into them, an output that lies by columns is computed as its transpose, a single column as
/// a single row.
MatmulProblem normalise_matmul(const tl_matmul_args& args) noexcept;

/// Where batch entry `index` (row-major) of an operand starts, in elements.
int64_t batch_offset(const MatmulProblem& problem, const MatmulOperand& operand,
                     int64_t index) noexcept;

/// How the blocked path cuts: C into blocks of at most block_m × block_n, K into pieces of at most
/// block_k. Depends on the sizes alone; every sum has the same order for any number of threads.
struct MatmulBlocks {
  int64_t block_m, block_n, block_k;
  int64_t a_bytes, b_bytes, out_bytes;  ///< of the packed pieces and, where out narrows, of the sums
  int64_t workspace_bytes() const { return a_bytes + b_bytes + out_bytes + 64; }
};

MatmulBlocks matmul_blocks(const MatmulProblem& problem) noexcept;

/// What the widest instruction set needs: rows of the shortest tile, columns of the widest panel, and
/// what a panel of A may be written past its end.
constexpr int64_t least_tile_rows = 4, panel_columns = 32, panel_slack = 32;

/// Operands up to this size are read where they lie, and pieces of B up to this size are put in order on
/// the stack.
constexpr int64_t direct_bytes = 96 << 10, direct_stack_bytes = 48 << 10;

}  // namespace cpu_simd
