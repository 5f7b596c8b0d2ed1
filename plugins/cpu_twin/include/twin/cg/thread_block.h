#pragma once

namespace cooperative_groups {

namespace twin_detail {

__device__ static inline unsigned int thread_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ static inline unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ static inline unsigned int lane() {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/// The bits of `mask` below this lane: its rank among them.
__device__ static inline unsigned int rank_in(unsigned int mask) { return __popc(mask & ((1u << lane()) - 1)); }

}  // namespace twin_detail

/// All threads of a block.
class thread_block {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int thread_rank() { return twin_detail::thread_rank(); }
  __device__ static dim3 group_index() { return blockIdx; }
  __device__ static dim3 thread_index() { return threadIdx; }
  __device__ static dim3 dim_threads() { return blockDim; }
  __device__ static dim3 group_dim() { return blockDim; }
  __device__ static unsigned int num_threads() { return twin_detail::block_threads(); }
  __device__ static unsigned int size() { return num_threads(); }
  __device__ void barrier_arrive() const {}
  __device__ void barrier_wait() const { sync(); }

 private:
  __device__ thread_block() {}
  friend __device__ thread_block this_thread_block();
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

/// Any of the groups, known at run time alone.
class thread_group {
 public:
  __device__ thread_group(const thread_block& block)
      : whole_block_(true), mask_(0), rank_(block.thread_rank()), size_(block.size()) {}
  __device__ thread_group(unsigned int mask, unsigned int rank, unsigned int size)
      : whole_block_(false), mask_(mask), rank_(rank), size_(size) {}

  __device__ void sync() const {
    if (whole_block_) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }
  __device__ unsigned int thread_rank() const { return rank_; }
  __device__ unsigned int size() const { return size_; }
  __device__ unsigned int num_threads() const { return size_; }

  /// The group's part that this thread is in, when it is cut into parts of `size` threads.
  __device__ thread_group part(unsigned int size) const {
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

template <class Group> __device__ inline void sync(const Group& group) { group.sync(); }
template <class Group> __device__ inline unsigned int thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> __device__ inline unsigned int group_size(const Group& group) { return group.size(); }

}  // namespace cooperative_groups
