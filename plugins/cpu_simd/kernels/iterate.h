#pragma once

#include "kernels/nest.h"

/// Runs a kernel that knows nothing of strides over views of any shape. Whatever isn't contiguous is
/// brought into, or out of, a small buffer in the first-level cache on the way; a constant operand is
/// one register's worth of memory that is read again and again.
namespace cpu_simd::TL_ISA {

/// What a kernel gets: n elements of each operand. An input moves on with its elements where step is 1;
/// where it is 0, `in` points to 64 bytes full of the one value.
struct Piece {
  char* out;
  int64_t n;
  const char* in[max_operands - 1];
  int64_t step[max_operands - 1];
};

using Kernel = void (*)(const Piece& piece, const double* params) noexcept;

/// out = kernel(in…) for each element, in parallel where that pays. Results don't depend on how the
/// elements are cut into pieces, since a kernel treats all of them alike.
void run_elementwise(const Nest& nest, Kernel kernel, const double* params) noexcept;

/// Elements from which work is shared among threads, and in a piece then.
constexpr int64_t parallel_threshold = 65536, parallel_grain = 32768;

}  // namespace cpu_simd::TL_ISA
