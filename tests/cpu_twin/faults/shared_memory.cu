// Shared memory: beyond an array, beyond the launch's, and read before anything was written.
#include "fault.cuh"

// case into_the_next: block (0,0,0) thread (32,0,0): writes 4 bytes outside of shared memory: first \(128 bytes\) at byte 128
__global__ void into_the_next(int* y) {
  __shared__ int first[32], second[32];
  const int t = threadIdx.x;
  if (t < 32) second[t] = t;
  __syncthreads();
  first[t EITHER(, % 32)] = t;  // @into_the_next
  __syncthreads();
  y[t] = first[t % 32] + second[t % 32];
}
CASE(into_the_next) { into_the_next<<<1, EITHER(64, 32)>>>(zeros<int>(64)); }

// case dynamic: block (0,0,0) thread (48,0,0): writes 4 bytes outside of shared memory: words at byte 192, and the launch gives 192 bytes
__global__ void dynamic(int* y) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;  // @dynamic
  __syncthreads();
  y[threadIdx.x] = words[63 - threadIdx.x];
}
CASE(dynamic) { dynamic<<<1, 64, EITHER(192, 256)>>>(zeros<int>(64)); }

// case no_dynamic_at_all: block (0,0,0) thread (0,0,0): writes 4 bytes outside of shared memory: words at byte 0, and the launch gives 0 bytes
__global__ void no_dynamic_at_all(int* y) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;  // @no_dynamic_at_all
  __syncthreads();
  y[threadIdx.x] = words[31 - threadIdx.x];
}
CASE(no_dynamic_at_all) { no_dynamic_at_all<<<1, 32, EITHER(0, 128)>>>(zeros<int>(32)); }

// case negative: block (0,0,0) thread (0,0,0): reads 4 bytes outside of shared memory: 4 bytes before tile
__global__ void negative(const int* x, int* y) {
  __shared__ int tile[32];
  const int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  y[t] = tile[t] - tile[t - 1 FIXED_ONLY(+ (t == 0))];  // @negative
}
CASE(negative) { negative<<<1, 32>>>(zeros<int>(32), zeros<int>(32)); }

// case far_away: block (0,0,0) thread (1,0,0): writes 4 bytes outside of shared memory: .*
__global__ void far_away(int* y, int factor) {
  __shared__ int tile[64];
  tile[threadIdx.x * factor] = 1;  // @far_away
  __syncthreads();
  y[threadIdx.x] = tile[0];
}
CASE(far_away) { far_away<<<1, 32>>>(zeros<int>(32), EITHER(1 << 26, 2)); }

// case atomic: block (0,0,0) thread (16,0,0): changes 4 bytes outside of shared memory: bins \(64 bytes\) at byte 64
__global__ void atomic(int* y) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x EITHER(, % 16)], 1);  // @atomic
  __syncthreads();
  if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];
}
CASE(atomic) { atomic<<<1, 32>>>(zeros<int>(16)); }

// case vector: block (0,0,0) thread (15,0,0): reads 16 bytes outside of shared memory: row \(248 bytes\) at byte 240
__global__ void vector(const float* x, float* y) {
  __shared__ __align__(16) float row[62];
  for (int i = threadIdx.x; i < 62; i += 32) row[i] = x[i];
  __syncthreads();
  if (threadIdx.x < EITHER(16, 15)) {
    const float4 v = ((const float4*)row)[threadIdx.x];  // @vector
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
  }
}
CASE(vector) { vector<<<1, 32>>>(zeros<float>(62), zeros<float>(16)); }

// case loop_one_too_far: block (0,0,0) thread (0,0,0): reads 4 bytes outside of shared memory: sums \(32 bytes\) at byte 32
__global__ void loop_one_too_far(float* y) {
  __shared__ float sums[8];
  if (threadIdx.x < 8) sums[threadIdx.x] = 1;
  __syncthreads();
  float all = 0;
  const int last = blockDim.x / 4 EITHER(, - 1);
  if (threadIdx.x == 0)
    for (int i = 0; i <= last; ++i) all += sums[i];  // @loop_one_too_far
  if (threadIdx.x == 0) *y = all;
}
CASE(loop_one_too_far) { loop_one_too_far<<<1, 32>>>(zeros<float>(1)); }

// case uninitialised: block (0,0,0) thread (0,0,0): reads shared memory that nothing was written to: sums \(256 bytes\) at byte 128
__global__ void uninitialised(const int* x, int* y) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  if (t < EITHER(32, 64)) sums[t] = x[t];
  __syncthreads();
  if (t < 32) y[t] = sums[t] + sums[t + 32];  // @uninitialised
}
CASE(uninitialised) { uninitialised<<<1, 64>>>(zeros<int>(64), zeros<int>(32)); }

// case forgotten_bins: block (0,0,0) thread (0,0,0): reads shared memory that nothing was written to: bins|changes shared memory that nothing was written to: bins
__global__ void forgotten_bins(int* y) {
  __shared__ int bins[16];
  FIXED_ONLY(if (threadIdx.x < 16) bins[threadIdx.x] = 0);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 16], 1);  // @forgotten_bins
  __syncthreads();
  if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];
}
CASE(forgotten_bins) { forgotten_bins<<<1, 32>>>(zeros<int>(16)); }

// case one_warp_fewer: block (0,0,0) thread (2,0,0): reads shared memory that nothing was written to: partial \(128 bytes\) at byte 8
__global__ void one_warp_fewer(const int* x, int* y) {
  __shared__ int partial[32];
  const int t = threadIdx.x;
  int sum = x[t];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = EITHER(partial[t], t < 2 ? partial[t] : 0);  // @one_warp_fewer
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    if (t == 0) *y = sum;
  }
}
CASE(one_warp_fewer) { one_warp_fewer<<<1, 64>>>(zeros<int>(64), zeros<int>(1)); }

// case from_the_block_before: block (1,0,0) thread (0,0,0): reads shared memory that nothing was written to: kept
__global__ void from_the_block_before(int* y) {
  __shared__ int kept[32];
  if (blockIdx.x == 0 FIXED_ONLY(|| true)) kept[threadIdx.x] = 5;
  __syncthreads();
  y[threadIdx.x] = kept[31 - threadIdx.x];  // @from_the_block_before
}
CASE(from_the_block_before) { from_the_block_before<<<EITHER(2, 1), 32>>>(zeros<int>(32)); }
