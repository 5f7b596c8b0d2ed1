#pragma once

#include "kernel.cuh"

/// From the number of an element to where it lies. The host fills these structs (nest_plan.h), kernels get them
/// by value.
namespace kernels {

constexpr int max_rank = 8;

/// Division by an extent as a multiplication and a shift: exact for dividends below 2^31.
struct Divisor {
  uint32_t value;
  uint32_t multiplier;
  uint32_t shift;
};

TL_DEVICE uint32_t high_product(uint32_t a, uint32_t b) {
#if TL_ON_DEVICE
  return __umulhi(a, b);
#else
  return static_cast<uint32_t>(uint64_t{a} * b >> 32);
#endif
}

TL_DEVICE uint32_t quotient(uint32_t x, const Divisor& by) {
  return (high_product(x, by.multiplier) + x) >> by.shift;
}

/// Nested loops over `operands` views of the same extents, the innermost first. Strides count elements.
/// Where it is `small`, there are fewer than 2^31 elements and all offsets fit into 32 bits.
template <int operands> struct Nest {
  int64_t count;
  int32_t rank;
  int32_t small;
  int64_t extent[max_rank];
  Divisor divisor[max_rank];
  int64_t stride[operands][max_rank];
};

template <int operands> struct Offsets { int64_t of[operands]; };

template <int operands, class Index, class Step, class Divide>
TL_DEVICE void split_index(const Nest<operands>& nest, Index rest, Step (&sum)[operands],
                           const Divide& divide) {
  TL_UNROLL for (int d = 0; d < max_rank; ++d) {
    if (d >= nest.rank) break;
    Index at = rest;
    if (d + 1 < nest.rank) {  // the outermost takes what is left
      rest = divide(at, d);
      at -= rest * static_cast<Index>(nest.extent[d]);
    }
    TL_UNROLL for (int k = 0; k < operands; ++k) sum[k] +=
        static_cast<Step>(at) * static_cast<Step>(nest.stride[k][d]);
  }
}

template <int operands> struct ByDivisor {
  const Nest<operands>& nest;
  TL_DEVICE uint32_t operator()(uint32_t x, int d) const { return quotient(x, nest.divisor[d]); }
};
template <int operands> struct ByDivision {
  const Nest<operands>& nest;
  TL_DEVICE uint64_t operator()(uint64_t x, int d) const {
    return x / static_cast<uint64_t>(nest.extent[d]);
  }
};

/// The same for loops of rank 1 (or of one element), which take no division.
template <int operands>
TL_DEVICE Offsets<operands> line_offsets(const Nest<operands>& nest, int64_t index) {
  Offsets<operands> result;
  TL_UNROLL for (int k = 0; k < operands; ++k) result.of[k] = index * nest.stride[k][0];
  return result;
}

/// Where element `index` lies in each operand. 64-bit division takes a hundred instructions, so it is kept for
/// what needs it; the branches are the same for all threads.
template <int operands>
TL_DEVICE Offsets<operands> offsets_of(const Nest<operands>& nest, int64_t index) {
  if (nest.rank <= 1) return line_offsets(nest, index);
  Offsets<operands> result;
  if (nest.small) {
    int32_t sum[operands] = {};
    split_index(nest, static_cast<uint32_t>(index), sum, ByDivisor<operands>{nest});
    TL_UNROLL for (int k = 0; k < operands; ++k) result.of[k] = sum[k];
  } else {
    int64_t sum[operands] = {};
    split_index(nest, static_cast<uint64_t>(index), sum, ByDivision<operands>{nest});
    TL_UNROLL for (int k = 0; k < operands; ++k) result.of[k] = sum[k];
  }
  return result;
}

#if TL_ON_DEVICE

/// The first number of this thread, and how far it is to its next one.
TL_DEVICE int64_t first_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
TL_DEVICE int64_t index_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

#endif

}  // namespace kernels
