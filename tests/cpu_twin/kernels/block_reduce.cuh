#pragma once

// Reductions over a warp and a block as device functions of a header.

enum class ReduceType { kMax = 0, kSum };

template <ReduceType type> __device__ __forceinline__ float combine(float a, float b);
template <> __device__ __forceinline__ float combine<ReduceType::kMax>(float a, float b) {
  return fmaxf(a, b);
}
template <> __device__ __forceinline__ float combine<ReduceType::kSum>(float a, float b) {
  return a + b;
}

template <ReduceType type> __device__ __forceinline__ float identity();
template <> __device__ __forceinline__ float identity<ReduceType::kMax>() { return -1e20f; }
template <> __device__ __forceinline__ float identity<ReduceType::kSum>() { return 0.0f; }

#define WARP_REDUCE_MASK 0xffffffff

template <ReduceType type> __inline__ __device__ float warp_reduce(float value) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) {
    value = combine<type>(value, __shfl_xor_sync(WARP_REDUCE_MASK, value, mask, 32));
  }
  return value;
}

/// The result is every thread's; a block has at most 1024 threads.
template <ReduceType type> __inline__ __device__ float block_reduce(float value) {
  static __shared__ float shared[32];
  const int lane = threadIdx.x & 0x1f, warp = threadIdx.x >> 5;
  value = warp_reduce<type>(value);
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = threadIdx.x < (blockDim.x + 31) / 32 ? shared[lane] : identity<type>();
  if (warp == 0) {
    value = warp_reduce<type>(value);
    if (lane == 0) shared[0] = value;
  }
  __syncthreads();
  return shared[0];
}
