#pragma once

#include "kernels/set.h"

namespace cpu_simd::TL_ISA {

template <class T> CPU_SIMD_INLINE T* data_of(const tl_view& view) noexcept {
  return reinterpret_cast<T*>(static_cast<char*>(view.base) + view.byte_offset);
}

/// Has it no elements? The product of its other extents may then be more than any integer holds.
CPU_SIMD_INLINE bool is_empty(const tl_view& view) noexcept {
  for (uint32_t d = 0; d < view.rank; ++d)
    if (view.extent[d] == 0) return true;
  return false;
}

CPU_SIMD_INLINE int64_t count_of(const tl_view& view) noexcept {
  if (is_empty(view)) return 0;
  int64_t count = 1;
  for (uint32_t d = 0; d < view.rank; ++d) count *= view.extent[d];
  return count;
}

}  // namespace cpu_simd::TL_ISA
