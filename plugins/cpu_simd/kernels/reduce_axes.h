#pragma once

#include "kernels/set.h"

/// A reduction's loops: the axes that stay and the axes that go.
namespace cpu_simd::TL_ISA {

/// Nested loops, the innermost last. Strides are in bytes.
struct Axes {
  int count = 0;
  int64_t extent[TL_MAX_RANK];
  int64_t in[TL_MAX_RANK];
  int64_t out[TL_MAX_RANK];  ///< of kept axes

  int64_t size() const noexcept {
    int64_t n = 1;
    for (int i = 0; i < count; ++i) n *= extent[i];
    return n;
  }
  int last() const noexcept { return count - 1; }
  void push(int64_t n, int64_t in_stride, int64_t out_stride) noexcept {
    extent[count] = n;
    in[count] = in_stride;
    out[count++] = out_stride;
  }
};

struct ReduceLoops {
  const char* in;
  char* out;
  Axes kept, reduced;
};

/// Splits the axes by the mask, without those of extent 1. With `any_order` the reduced ones are walked
/// as memory lies, otherwise as they stand; neighbours that are one axis merge.
ReduceLoops make_reduce_loops(const tl_reduce_args& args, bool any_order) noexcept;

/// Where element `index` of the loops lies.
void offsets_of(const Axes& axes, int count, int64_t index, int64_t& in, int64_t& out) noexcept;

}  // namespace cpu_simd::TL_ISA
