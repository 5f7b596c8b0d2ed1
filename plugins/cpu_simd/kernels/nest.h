#pragma once

#include "kernels/set.h"

/// Views as loops. A nest is a set of operands that are walked together; simplifying it leaves as few
/// dimensions as possible, with the output's smallest stride innermost.
namespace cpu_simd::TL_ISA {

constexpr int max_operands = 4;

struct Operand {
  char* data;
  int64_t item;                 ///< bytes of an element
  int64_t stride[TL_MAX_RANK];  ///< in bytes
};

struct Nest {
  int rank;
  int operands;  ///< the output is number 0
  int64_t extent[TL_MAX_RANK];
  Operand operand[max_operands];
};

/// The views have equal extents.
Nest make_nest(const tl_view& output, const tl_view* const* inputs, int input_count) noexcept;

Operand make_operand(const tl_view& view) noexcept;

/// Drops dimensions of extent 1, walks the output forwards, orders by its strides, and merges
/// dimensions that are one to every operand. False if there is nothing to do.
bool simplify(Nest& nest) noexcept;

int64_t element_count(const Nest& nest) noexcept;

}  // namespace cpu_simd::TL_ISA
