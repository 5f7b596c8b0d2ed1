#pragma once

namespace cooperative_groups {

namespace twin_detail {

TWIN_D unsigned int thread_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
TWIN_D unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
TWIN_D unsigned int lane() {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/// The bits of `mask` below this lane: its rank among them.
TWIN_D unsigned int rank_in(unsigned int mask) { return __popc(mask & ((1u << lane()) - 1)); }

}  // namespace twin_detail

/// All threads of a block.
class thread_block {
 public:
  TWIN_DEVICE_MEMBER static void sync() { __syncthreads(); }
  TWIN_DEVICE_MEMBER static unsigned int thread_rank() { return twin_detail::thread_rank(); }
  TWIN_DEVICE_MEMBER static dim3 group_index() { return blockIdx; }
  TWIN_DEVICE_MEMBER static dim3 thread_index() { return threadIdx; }
  TWIN_DEVICE_MEMBER static dim3 dim_threads() { return blockDim; }
  TWIN_DEVICE_MEMBER static dim3 group_dim() { return blockDim; }
  TWIN_DEVICE_MEMBER static unsigned int num_threads() { return twin_detail::block_threads(); }
  TWIN_DEVICE_MEMBER static unsigned int size() { return num_threads(); }
  TWIN_DEVICE_MEMBER void barrier_arrive() const {}
  TWIN_DEVICE_MEMBER void barrier_wait() const { sync(); }

 private:
  TWIN_DEVICE_MEMBER thread_block() {}
  friend __device__ thread_block this_thread_block();
};

TWIN_DEVICE_MEMBER thread_block this_thread_block() { return thread_block(); }

/// Any of the groups, known at run time alone.
class thread_group {
 public:
  TWIN_DEVICE_MEMBER thread_group(const thread_block& block)
      : whole_block_(true), mask_(0), rank_(block.thread_rank()), size_(block.size()) {}
  TWIN_DEVICE_MEMBER thread_group(unsigned int mask, unsigned int rank, unsigned int size)
      : whole_block_(false), mask_(mask), rank_(rank), size_(size) {}

  TWIN_DEVICE_MEMBER void sync() const {
    if (whole_block_) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  TWIN_DEVICE_MEMBER unsigned int thread_rank() const { return rank_; }
  TWIN_DEVICE_MEMBER unsigned int size() const { return size_; }
  TWIN_DEVICE_MEMBER unsigned int num_threads() const { return size_; }

  /// The group's part that this thread is in, when it is cut into parts of `size` threads.
  TWIN_DEVICE_MEMBER thread_group part(unsigned int size) const {
    if (whole_block_) {
      const unsigned int first = twin_detail::lane() & ~(size - 1);
      const unsigned int mask = (size == 32 ? 0xffffffffu : (1u << size) - 1) << first;
      return thread_group(mask, rank_ & (size - 1), size);
    }
    unsigned int mask = 0;
    unsigned int rest = mask_;
    for (unsigned int i = 0; rest != 0; ++i, rest &= rest - 1) {
      if (i / size == rank_ / size) mask |= rest & (0u - rest);
    }
    return thread_group(mask, rank_ % size, __popc(mask));
  }

 private:
  bool whole_block_;
  unsigned int mask_, rank_, size_;
};

template <class Group> TWIN_DEVICE_MEMBER void sync(const Group& group) { group.sync(); }
template <class Group> TWIN_DEVICE_MEMBER unsigned int thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group> TWIN_DEVICE_MEMBER unsigned int group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
