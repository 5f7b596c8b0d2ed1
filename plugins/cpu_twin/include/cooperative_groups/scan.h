#pragma once

// Prefix sums over a tile or a coalesced group.

#include "reduce.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T, class Op>
TWIN_DEVICE_MEMBER T inclusive_scan(const Group& group, T value, Op op) {
  for (unsigned int delta = 1; delta < group.size(); delta *= 2) {
    const T before = group.shfl_up(value, delta);
    if (group.thread_rank() >= delta) value = op(before, value);
  }
  return value;
}
template <class Group, class T> TWIN_DEVICE_MEMBER T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

template <class Group, class T, class Op>
TWIN_DEVICE_MEMBER T exclusive_scan(const Group& group, T value, Op op) {
  const T inclusive = inclusive_scan(group, value, op);
  const T before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> TWIN_DEVICE_MEMBER T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
#endif
