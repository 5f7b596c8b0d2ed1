#pragma once

// Reductions over a tile or a coalesced group; every thread gets the result.

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

#define TWIN_X(NAME, RESULT)                                                           \
  template <class T = void> struct NAME {                                              \
    TWIN_DEVICE_MEMBER T operator()(const T& a, const T& b) const { return RESULT; }   \
  };                                                                                   \
  template <> struct NAME<void> {                                                      \
    template <class T> TWIN_DEVICE_MEMBER T operator()(const T& a, const T& b) const { \
      return RESULT;                                                                   \
    }                                                                                  \
  };
TWIN_X(plus, a + b)
TWIN_X(less, b < a ? b : a)
TWIN_X(greater, a < b ? b : a)
TWIN_X(bit_and, a& b)
TWIN_X(bit_or, a | b)
TWIN_X(bit_xor, a ^ b)
#undef TWIN_X

/// By exchange of halves: each step pairs neighbours twice as far away.
template <unsigned int Size, class Parent, class T, class Op>
TWIN_DEVICE_MEMBER T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op) {
  for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2)
    value = op(value, tile.shfl_xor(value, lanes));
  return value;
}

/// Any number of threads: the ranks are folded onto the lower half until one is left, which tells the others.
template <class T, class Op> TWIN_DEVICE_MEMBER T reduce(const coalesced_group& group, T value, Op op) {
  unsigned int left = group.size();
  while (left > 1) {
    const unsigned int half = (left + 1) / 2;
    const T other = group.shfl_down(value, half);
    if (group.thread_rank() + half < left) value = op(value, other);
    left = half;
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups
#endif
