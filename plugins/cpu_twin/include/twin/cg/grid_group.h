#pragma once

#include "thread_block.h"

/// All blocks of a cooperative launch wait for each other; bound by the engine.
extern "C" __device__ void __twin_grid_sync();

namespace cooperative_groups {

class grid_group {
 public:
  TWIN_DEVICE_MEMBER bool is_valid() const { return true; }
  TWIN_DEVICE_MEMBER void sync() const { __twin_grid_sync(); }
  TWIN_DEVICE_MEMBER static unsigned long long size() { return num_threads(); }
  TWIN_DEVICE_MEMBER static unsigned long long num_threads() {
    return num_blocks() * twin_detail::block_threads();
  }
  TWIN_DEVICE_MEMBER static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  TWIN_DEVICE_MEMBER static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  TWIN_DEVICE_MEMBER static unsigned long long thread_rank() {
    return block_rank() * twin_detail::block_threads() + twin_detail::thread_rank();
  }
  TWIN_DEVICE_MEMBER static dim3 group_dim() { return gridDim; }
  TWIN_DEVICE_MEMBER static dim3 dim_blocks() { return gridDim; }
  TWIN_DEVICE_MEMBER static dim3 block_index() { return blockIdx; }
};

TWIN_DEVICE_MEMBER grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups
