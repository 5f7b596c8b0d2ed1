#pragma once

// Copies into shared memory by a whole group. They are done at once here; wait is then the group's barrier.

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T>
TWIN_DEVICE_MEMBER void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class Group>
TWIN_DEVICE_MEMBER void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  memcpy_async(group, static_cast<char*>(to), static_cast<const char*>(from), bytes);
}
template <class Group> TWIN_DEVICE_MEMBER void wait(const Group& group) { group.sync(); }

}  // namespace cooperative_groups
#endif
