#pragma once

#include "coalesced_group.h"
#include "tile.h"

// Partitions of a warp's part by value: the threads with the same label form a group.

namespace cooperative_groups {

template <unsigned int Size, class Parent, class T>
TWIN_DEVICE_MEMBER coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& group,
                                                     T label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}
template <class T>
TWIN_DEVICE_MEMBER coalesced_group labeled_partition(const coalesced_group& group, T label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}

template <class Group>
TWIN_DEVICE_MEMBER coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int with = __ballot_sync(group.mask(), predicate) & group.mask();
  return coalesced_group(predicate ? with : group.mask() & ~with);
}

/// One thread of the group is told true.
template <class Group, class F> TWIN_DEVICE_MEMBER void invoke_one(const Group& group, F&& function) {
  if (group.thread_rank() == 0) function();
}

}  // namespace cooperative_groups
