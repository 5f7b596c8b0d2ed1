#pragma once

#include "common/matmul_problem.h"
#include "shared.h"

/// How a matmul is done. Compiled once, for the baseline: `supports` and the kernels of every instruction set use
/// the same.
namespace cpu_simd {

enum class MatmulPath {
  empty,    ///< nothing to write
  integer,  ///< int64: simple loops
  vector,   ///< one row times a matrix with a contiguous dimension
  direct,   ///< small: operands are read where they lie
  blocked,  ///< packed blocks in the workspace
};

MatmulPath choose_path(const MatmulProblem& p) noexcept;

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
