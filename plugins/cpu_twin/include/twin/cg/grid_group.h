#pragma once

#include "thread_block.h"

/// All blocks of a cooperative launch wait for each other; bound by the engine.
extern "C" __device__ void __twin_grid_sync();

namespace cooperative_groups {

class grid_group {
 public:
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const { __twin_grid_sync(); }
  __device__ static unsigned long long size() { return num_threads(); }
  __device__ static unsigned long long num_threads() { return num_blocks() * twin_detail::block_threads(); }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * twin_detail::block_threads() + twin_detail::thread_rank();
  }
  __device__ static dim3 group_dim() { return gridDim; }
  __device__ static dim3 dim_blocks() { return gridDim; }
  __device__ static dim3 block_index() { return blockIdx; }
};

__device__ inline grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups
