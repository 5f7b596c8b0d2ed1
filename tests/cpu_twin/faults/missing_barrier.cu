// One missing barrier, or one missing step of the lanes, in each kernel.
#include <cooperative_groups.h>

#include "fault.cuh"

// case reduction: race: (reads|writes) shared memory, sums \(512 bytes\) at byte \d+, which is (read|written) by thread .*: a barrier is missing
__global__ void reduction(const float* x, float* out) {
  __shared__ float sums[128];
  const int t = threadIdx.x;
  sums[t] = x[t];  // @reduction other
  FIXED_ONLY(__syncthreads());
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];  // @reduction
    __syncthreads();
  }
  if (t == 0) *out = sums[0];
}
CASE(reduction) { reduction<<<1, 128>>>(zeros<float>(128), zeros<float>(1)); }

// case in_the_loop: race: (reads|writes) shared memory, sums .*: a barrier is missing
__global__ void in_the_loop(const float* x, float* out) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = x[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];  // @in_the_loop @in_the_loop other
    FIXED_ONLY(__syncthreads());
  }
  if (t == 0) *out = sums[0];
}
CASE(in_the_loop) { in_the_loop<<<1, 256>>>(zeros<float>(256), zeros<float>(1)); }

// case stencil: block (0,0,0) thread (32,0,0): race: (reads|writes) shared memory, tile \(264 bytes\) at byte (132|128), which is (read|written) by thread .*: a barrier is missing
__global__ void stencil(const float* x, float* y) {
  __shared__ float tile[66];
  const int t = threadIdx.x;
  tile[t + 1] = x[t];  // @stencil other
  if (t == 0) tile[0] = tile[65] = 0;
  __syncwarp();
  FIXED_ONLY(__syncthreads());
  const float right = t == 63 ? 0 : tile[t + 2];  // @stencil
  y[t] = tile[t + 1] + right;
}
CASE(stencil) { stencil<<<1, 64>>>(zeros<float>(64), zeros<float>(64)); }

// case transpose: race: (reads|writes) shared memory, tile .*, which is (read|written) by thread .*: a barrier is missing
__global__ void transpose(const float* x, float* y) {
  __shared__ float tile[32][33];
  for (int row = threadIdx.y; row < 32; row += 8) tile[row][threadIdx.x] = x[row * 32 + threadIdx.x];  // @transpose other
  FIXED_ONLY(__syncthreads());
  for (int row = threadIdx.y; row < 32; row += 8) y[row * 32 + threadIdx.x] = tile[threadIdx.x][row];  // @transpose
}
CASE(transpose) { transpose<<<1, dim3(32, 8)>>>(zeros<float>(1024), zeros<float>(1024)); }

// case double_buffer: race: writes shared memory, buffer .*, which is read by thread .*: a barrier is missing
__global__ void double_buffer(const int* x, int* y, int steps) {
  __shared__ int buffer[2][64];
  const int t = threadIdx.x;
  buffer[0][t] = x[t];
  __syncthreads();
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    const int now = EITHER(0, step % 2);
    sum += buffer[now][(t + 33) % 64];           // @double_buffer other
    buffer[EITHER(0, 1 - now)][t] = sum + step;  // @double_buffer
    __syncthreads();
  }
  y[t] = sum;
}
CASE(double_buffer) { double_buffer<<<1, 64>>>(zeros<int>(64), zeros<int>(64), 5); }

// case between_two_loops: race: (reads|writes) shared memory, row .*, which is (read|written) by thread .*: a barrier is missing
__global__ void between_two_loops(const int* x, int* y) {
  __shared__ int row[200];
  for (int i = threadIdx.x; i < 200; i += blockDim.x) row[i] = x[i];  // @between_two_loops other
  FIXED_ONLY(__syncthreads());
  for (int i = threadIdx.x; i < 200; i += blockDim.x) y[i] = row[199 - i];  // @between_two_loops
}
CASE(between_two_loops) { between_two_loops<<<1, 96>>>(zeros<int>(200), zeros<int>(200)); }

// case used_again: race: (reads|writes) shared memory, word .*, which is (read|written) by thread .*: a barrier is missing
__global__ void used_again(int* y) {
  __shared__ int word;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) word = round;  // @used_again
    __syncthreads();
    y[threadIdx.x] += word;  // @used_again other
    FIXED_ONLY(__syncthreads());
  }
}
CASE(used_again) { used_again<<<1, 64>>>(zeros<int>(64)); }

// case one_thread_fills: race: (reads|writes) shared memory, total .*, which is (read|written) by thread .*: a barrier is missing
__global__ void one_thread_fills(const int* x, int* y) {
  __shared__ int total;
  if (threadIdx.x == 0) total = x[0] + x[1];  // @one_thread_fills other
  FIXED_ONLY(__syncthreads());
  y[threadIdx.x] = total;  // @one_thread_fills
}
CASE(one_thread_fills) { one_thread_fills<<<1, 64>>>(zeros<int>(2), zeros<int>(64)); }

// case lanes_of_a_warp: race: reads shared memory, sums .*, which is written by thread .*: a barrier is missing
__global__ void lanes_of_a_warp(const int* x, int* y) {
  __shared__ int sums[64];
  const int t = threadIdx.x;
  sums[t] = x[t];
  sums[t + 32] = x[t + 32];
  __syncwarp();
  for (int half = 32; half > 0; half /= 2) {
    int other = 0;
    if (t < half) other = sums[t + half];  // @lanes_of_a_warp
    __syncwarp();
    if (t < half) sums[t] += other;  // @lanes_of_a_warp other
    FIXED_ONLY(__syncwarp());
  }
  if (t == 0) *y = sums[0];
}
CASE(lanes_of_a_warp) { lanes_of_a_warp<<<1, 32>>>(zeros<int>(64), zeros<int>(1)); }

// case in_global_memory: race: (reads|writes) offset \d+ of allocation 1 of 256 bytes, which is (read|written) by thread .*: a barrier is missing
__global__ void in_global_memory(int* scratch, int* y) {
  scratch[threadIdx.x] = threadIdx.x;  // @in_global_memory other
  FIXED_ONLY(__syncthreads());
  y[threadIdx.x] = scratch[63 - threadIdx.x];  // @in_global_memory
}
CASE(in_global_memory) {
  int* scratch = zeros<int>(64);
  in_global_memory<<<1, 64>>>(scratch, zeros<int>(64));
}

__device__ __noinline__ void put(int* place, int value) {
  *place = value;  // @in_a_function other
}
// case in_a_function: race: (reads|writes) shared memory, words at byte \d+, which is (read|written) by thread .*: a barrier is missing
__global__ void in_a_function(int* y) {
  extern __shared__ int words[];
  put(words + threadIdx.x, threadIdx.x);
  FIXED_ONLY(__syncthreads());
  y[threadIdx.x] = words[threadIdx.x ^ 32];  // @in_a_function
}
CASE(in_a_function) { in_a_function<<<1, 64, 256>>>(zeros<int>(64)); }

// case matmul_tile: race: writes shared memory, (a|b) .*, which is read by thread .*: a barrier is missing
__global__ void matmul_tile(const float* x, const float* y, float* z, int n) {
  __shared__ float a[16][16], b[16][16];
  const int row = threadIdx.y, col = threadIdx.x;
  float sum = 0;
  for (int at = 0; at < n; at += 16) {
    a[row][col] = x[row * n + at + col];  // @matmul_tile
    b[row][col] = y[(at + row) * 16 + col];  // @matmul_tile
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][col];  // @matmul_tile other
    FIXED_ONLY(__syncthreads());
  }
  z[row * 16 + col] = sum;
}
CASE(matmul_tile) { matmul_tile<<<1, dim3(16, 16)>>>(zeros<float>(512), zeros<float>(512), zeros<float>(256), 32); }

// case across_blocks: race: reads offset 0 of allocation 1 of 4 bytes, which is written by thread \(0,0,0\) of block 0 .*blocks are not in order
__global__ void across_blocks(int* flag, int* y) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *flag = 7;  // @across_blocks other
  y[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x EITHER(> 0 ? *flag : 0, );  // @across_blocks
}
CASE(across_blocks) {
  int* flag = zeros<int>(1);
  across_blocks<<<3, 32>>>(flag, zeros<int>(96));
}

// case histogram: race: (reads shared memory, bin .*, which is changed by|changes shared memory, bin .*, which is read by) thread .*: a barrier is missing
__global__ void histogram(const int* x, int* out) {
  __shared__ int bin[64];
  const int t = threadIdx.x;
  bin[t] = 0;
  __syncthreads();
  atomicAdd(&bin[(x[t] + 63 - t) % 64], 1);  // @histogram other
  FIXED_ONLY(__syncthreads());
  out[t] = bin[t];  // @histogram
}
CASE(histogram) { histogram<<<1, 64>>>(zeros<int>(64), zeros<int>(64)); }

__device__ void raise_by_swaps(float* most, float value) {
  int old = __float_as_int(*most), assumed;
  do {
    assumed = old;
    old = atomicCAS((int*)most, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));  // @extremes other
  } while (assumed != old);
}
// case extremes: race: (reads shared memory, (swapped|most|seen) .*, which is changed by|changes shared memory, (swapped|most|seen) .*, which is read by) thread .*: a barrier is missing
__global__ void extremes(const int* x, float* out) {
  __shared__ float swapped;
  __shared__ int most, seen;
  const int t = threadIdx.x, value = x[t] + t % 7;
  if (t == 0) swapped = most = seen = 0;
  __syncthreads();
  raise_by_swaps(&swapped, value);
  // Looks at what others change meanwhile: a wrong answer costs an atomic at most.
  if (value > most) atomicMax(&most, value);  // @extremes other
  if (t % 32 == 0) atomicAdd(&seen, 1);
  if (*(volatile int*)&seen > 7) atomicExch(&most, -1);
  FIXED_ONLY(__syncthreads());
  if (t == 0) *out = swapped + most;  // @extremes
}
CASE(extremes) { extremes<<<1, 96>>>(zeros<int>(96), zeros<float>(1)); }

__device__ void arrive(int name, int threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(name), "r"(threads) : "memory");
}
__device__ void await(int name, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(name), "r"(threads) : "memory");
}
// case producer: race: (reads|writes) shared memory, words .*, which is (read|written) by thread .*: a barrier is missing
__global__ void producer(int* y) {
  __shared__ int words[32];
  const int t = threadIdx.x % 32, empty = 1, full = 2;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) {
      await(empty, 64);
      FIXED_ONLY(words[t] = round * t);
      arrive(full, 64);
      EITHER(words[t] = round * t, );  // @producer
    } else {
      arrive(empty, 64);
      await(full, 64);
      y[t] += words[31 - t];  // @producer other
    }
  }
}
CASE(producer) { producer<<<1, 64>>>(zeros<int>(32)); }

// case around_the_grid: race: (reads|writes) shared memory, words .*, which is (read|written) by thread .*: a barrier is missing
__global__ void around_the_grid(int* y) {
  __shared__ int words[64];
  const int t = threadIdx.x;
  words[t] = t + blockIdx.x;
  cooperative_groups::this_grid().sync();
  const int other = words[63 - t];  // @around_the_grid other
  FIXED_ONLY(__syncthreads());
  words[t] = other;  // @around_the_grid
  cooperative_groups::this_grid().sync();
  y[blockIdx.x * 64 + t] = words[t ^ 1];
}
CASE(around_the_grid) {
  int* y = zeros<int>(192);
  void* arguments[] = {&y};
  cudaLaunchCooperativeKernel((void*)around_the_grid, dim3(3), dim3(64), arguments, 0, 0);
}
