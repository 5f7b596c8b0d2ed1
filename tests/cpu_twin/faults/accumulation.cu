// Sums that several threads add to without an atomic.
#include "fault.cuh"

// case across_blocks: block (1,0,0) thread (0,0,0): race: reads offset 0 of allocation 1 of 4 bytes, which is written by thread \(0,0,0\) of block 0 .*use an atomic
__global__ void across_blocks(int* sum) {
  if (threadIdx.x == 0) EITHER(*sum += blockIdx.x, atomicAdd(sum, blockIdx.x));  // @across_blocks @across_blocks other
}
CASE(across_blocks) { across_blocks<<<4, 32>>>(zeros<int>(1)); }

// case across_warps: race: reads shared memory, total .*, which is written by thread \((0|32|64|96),0,0\)
__global__ void across_warps(float* out) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) EITHER(total += threadIdx.x, atomicAdd(&total, (float)threadIdx.x));  // @across_warps @across_warps other
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}
CASE(across_warps) { across_warps<<<1, 128>>>(zeros<float>(1)); }

// case across_lanes: race: writes shared memory, total .*, which is read by thread
__global__ void across_lanes(int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  EITHER(total += 1, atomicAdd(&total, 1));  // @across_lanes @across_lanes other
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}
CASE(across_lanes) { across_lanes<<<1, 32>>>(zeros<int>(1)); }

// case histogram: race: (writes|reads) offset \d+ of allocation 2 of 64 bytes, which is (also )?(read|written) by thread
__global__ void histogram(const int* x, int* bins) {
  const int bin = (x[threadIdx.x] + threadIdx.x) % 16;
  EITHER(bins[bin]++, atomicAdd(&bins[bin], 1));  // @histogram @histogram other
}
CASE(histogram) {
  int* x = zeros<int>(128);
  histogram<<<1, 128>>>(x, zeros<int>(16));
}

// case gradient: race: .* of allocation 1 of 32 bytes, .*use an atomic
__global__ void gradient(float* gamma, const float* x) {
  for (int i = threadIdx.x; i < 8; i += blockDim.x)
    EITHER(gamma[i] += x[blockIdx.x * 8 + i], atomicAdd(&gamma[i], x[blockIdx.x * 8 + i]));  // @gradient @gradient other
}
CASE(gradient) {
  float* gamma = zeros<float>(8);
  gradient<<<5, 32>>>(gamma, zeros<float>(40));
}

// case plain_and_atomic: race: (writes|changes) .* of allocation 1 of 4 bytes
__global__ void plain_and_atomic(int* sum) {
  if (blockIdx.x == 0) atomicAdd(sum, 1);  // @plain_and_atomic other
  else if (threadIdx.x == 0) EITHER(*sum = 0, atomicExch(sum, 0));  // @plain_and_atomic
}
CASE(plain_and_atomic) { plain_and_atomic<<<2, 32>>>(zeros<int>(1)); }

// case same_place: race: writes .* of allocation 1 of 4 bytes, which is also written by thread \((0|32|64),0,0\)
__global__ void same_place(int* out) {
  if (threadIdx.x % 32 == 0 FIXED_ONLY(&& threadIdx.x == 0)) *out = threadIdx.x;  // @same_place @same_place other
}
CASE(same_place) { same_place<<<1, 96>>>(zeros<int>(1)); }
