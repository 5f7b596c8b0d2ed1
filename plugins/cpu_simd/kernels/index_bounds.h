#pragma once

#include "kernels/views.h"

namespace cpu_simd::TL_ISA {

struct BadIndex {
  bool found;
  int64_t value;
  int64_t position;  ///< row-major, in the whole view
};

CPU_SIMD_INLINE bool is_outside(int64_t value, int64_t limit) noexcept {
  return static_cast<uint64_t>(value) >= static_cast<uint64_t>(limit);
}

/// The first of n indices, `step` apart, that is outside 0 … limit-1; n if there is none. Most calls
/// find none, so they are first only counted.
inline int64_t first_outside(const int64_t* p, int64_t n, int64_t step, int64_t limit) noexcept {
  uint64_t outside = 0;
  for (int64_t i = 0; i < n; ++i) outside += is_outside(p[i * step], limit);
  if (outside == 0) return n;
  int64_t i = 0;
  while (!is_outside(p[i * step], limit)) ++i;
  return i;
}

/// The first bad index in row-major order of a view that isn't empty. Broadcast axes are walked once: the first position has 0 there.
inline BadIndex find_bad_index(const tl_view& view, int64_t limit) noexcept {
  const auto* p = data_of<const int64_t>(view);
  const int rank = static_cast<int>(view.rank);
  int64_t weight[TL_MAX_RANK], distinct[TL_MAX_RANK], at[TL_MAX_RANK] = {};
  int64_t positions = 1, position = 0;
  for (int d = rank - 1; d >= 0; --d) {
    weight[d] = positions;
    positions *= view.extent[d];
    distinct[d] = view.stride[d] == 0 ? 1 : view.extent[d];
  }
  const int last = rank - 1;
  for (;;) {
    const int64_t i = first_outside(p, distinct[last], view.stride[last], limit);
    if (i < distinct[last]) return {true, p[i * view.stride[last]], position + i};
    int d = last - 1;
    for (; d >= 0; --d) {
      p += view.stride[d];
      position += weight[d];
      if (++at[d] < distinct[d]) break;
      p -= distinct[d] * view.stride[d];
      position -= distinct[d] * weight[d];
      at[d] = 0;
    }
    if (d < 0) return {false, 0, 0};
  }
}

}  // namespace cpu_simd::TL_ISA
