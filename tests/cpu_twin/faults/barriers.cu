// Barriers that not all threads reach, and operations of a warp that not all of their lanes take part in.
#include "fault.cuh"

// case in_an_if: block (0,0,0): a barrier in divergent code: lanes 16 to 31 of warp 0 are elsewhere
__global__ void in_an_if(int* y) {
  __shared__ int word;
  if (threadIdx.x == 0) word = 4;
  if (threadIdx.x < EITHER(16, 64)) __syncthreads();  // @in_an_if
  y[threadIdx.x] = EITHER(1, word);
}
CASE(in_an_if) { in_an_if<<<1, 64>>>(zeros<int>(64)); }

// case in_a_loop: a barrier in divergent code: lanes .* of warp 0 are elsewhere|a barrier that
__global__ void in_a_loop(int* y) {
  __shared__ int words[64];
  words[threadIdx.x] = 0;
  for (unsigned int i = 0; i < EITHER(threadIdx.x / 8 + 1, 4); ++i) {
    __syncthreads();  // @in_a_loop
    words[threadIdx.x] += i;
  }
  y[threadIdx.x] = words[threadIdx.x];
}
CASE(in_a_loop) { in_a_loop<<<1, 64>>>(zeros<int>(64)); }

// case after_a_return: a barrier that lanes 10 to 31 of warp 1 never reach: they have returned before
__global__ void after_a_return(int* y, int n) {
  __shared__ int words[64];
  const int t = threadIdx.x;
  if (t >= EITHER(n, 64)) return;
  words[t] = t;
  __syncthreads();  // @after_a_return
  if (t < n) y[t] = words[t ^ 1];
}
CASE(after_a_return) { after_a_return<<<1, 64>>>(zeros<int>(64), 42); }

// case a_warp_returned: a barrier that warp 1 never reaches: it has ended before
__global__ void a_warp_returned(int* y, int n) {
  __shared__ int words[64];
  const int t = threadIdx.x;
  if (t >= EITHER(n, 64)) return;
  words[t] = t;
  __syncthreads();  // @a_warp_returned
  if (t < n) y[t] = words[t ^ 1];
}
CASE(a_warp_returned) { a_warp_returned<<<1, 64>>>(zeros<int>(64), 32); }

// case in_both_branches: warps wait at different barriers: warp 0 here, warp 1 at line \d+
__global__ void in_both_branches(int* y) {
  __shared__ int words[64];
  words[threadIdx.x] = threadIdx.x;
  FIXED_ONLY(__syncthreads());
#ifndef FIXED
  if (threadIdx.x < 32) {
    y[threadIdx.x + 64] = 1;
    __syncthreads();  // @in_both_branches
  } else {
    y[threadIdx.x + 64] = 2;
    __syncthreads();
  }
#endif
  y[threadIdx.x] = words[63 - threadIdx.x];
}
CASE(in_both_branches) { in_both_branches<<<1, 64>>>(zeros<int>(128)); }

// case in_one_warp: a barrier that warp 1 never reaches: it has ended before
__global__ void in_one_warp(int* y) {
  __shared__ int words[32];
  if (threadIdx.x < 32) {
    words[threadIdx.x] = 1;
    EITHER(__syncthreads(), __syncwarp());  // @in_one_warp
    y[threadIdx.x] = words[31 - threadIdx.x];
  }
}
CASE(in_one_warp) { in_one_warp<<<1, 64>>>(zeros<int>(32)); }

__device__ void named_barrier(int name, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(name), "r"(threads) : "memory");  // @named_count
}
// case named_count: a barrier that never completes: 2 warps wait, and no other will come
__global__ void named_count(int* y) {
  __shared__ int words[64];
  if (threadIdx.x < 64) {
    words[threadIdx.x] = threadIdx.x;
    named_barrier(1, EITHER(96, 64));
    y[threadIdx.x] = words[63 - threadIdx.x];
  }
}
CASE(named_count) { named_count<<<1, 128>>>(zeros<int>(64)); }

__device__ void join(int name) {
  asm volatile("bar.sync %0, 64;" : : "r"(name) : "memory");  // @named_apart
}
// case named_apart: a barrier that never completes
__global__ void named_apart(int* y) {
  __shared__ int words[64];
  words[threadIdx.x] = threadIdx.x;
  join(EITHER(1 + threadIdx.x / 32, 1));
  y[threadIdx.x] = words[63 - threadIdx.x];
}
CASE(named_apart) { named_apart<<<1, 64>>>(zeros<int>(64)); }

// case in_a_switch: a barrier in divergent code: lanes .* of warp [01] are elsewhere
__global__ void in_a_switch(int* y, int modulus) {
  int value = 0;
  switch (threadIdx.x % modulus) {
    case 0: value = 3; break;
    case 1:
      value = y[threadIdx.x + 64];
      EITHER(__syncthreads(), __syncwarp(__activemask()));  // @in_a_switch
      break;
    case 2: value = 7; break;
    default: value = y[threadIdx.x + 65];
  }
  y[threadIdx.x] = value;
}
CASE(in_a_switch) { in_a_switch<<<1, 64>>>(zeros<int>(130), 4); }

// case in_short_circuit: a barrier in divergent code: lanes 16 to 31 of warp 0 are elsewhere
__global__ void in_short_circuit(int* y, int n) {
  y[threadIdx.x] = threadIdx.x < n && __syncthreads_or(threadIdx.x == 5);  // @in_short_circuit
}
CASE(in_short_circuit) { in_short_circuit<<<1, 32>>>(zeros<int>(32), EITHER(16, 32)); }

// case shuffle_mask: block (0,0,0) thread (16,0,0): a warp-wide operation with mask 0x0000ffff that doesn't name exactly the lanes that take part: wrong for lanes 16 to 31
__global__ void shuffle_mask(int* y) {
  y[threadIdx.x] = __shfl_down_sync(EITHER(0xffffu, ~0u), (int)threadIdx.x, 1);  // @shuffle_mask
}
CASE(shuffle_mask) { shuffle_mask<<<1, 32>>>(zeros<int>(32)); }

// case shuffle_in_an_if: block (0,0,0) thread (16,0,0): a warp-wide operation with mask 0xffffffff .* wrong for lanes 16 to 31
__global__ void shuffle_in_an_if(int* y) {
  const int t = threadIdx.x;
  if (t < 16) y[t] = __shfl_xor_sync(EITHER(~0u, 0xffffu), t * 3, 1);  // @shuffle_in_an_if
}
CASE(shuffle_in_an_if) { shuffle_in_an_if<<<1, 32>>>(zeros<int>(32)); }

// case shuffle_in_a_loop: a warp-wide operation with mask 0xffffffff
__global__ void shuffle_in_a_loop(int* y, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < EITHER(n, 96); i += 32) sum += __shfl_down_sync(~0u, i, 1);  // @shuffle_in_a_loop
  y[threadIdx.x] = sum;
}
CASE(shuffle_in_a_loop) { shuffle_in_a_loop<<<1, 32>>>(zeros<int>(32), 70); }

// case ballot_mask: a warp-wide operation with mask 0xffffffff
__global__ void ballot_mask(unsigned int* y) {
  unsigned int votes = 0;
  if (threadIdx.x % 2 == 0) votes = __ballot_sync(EITHER(~0u, 0x55555555u), y[threadIdx.x] > 8);  // @ballot_mask
  y[threadIdx.x] = votes;
}
CASE(ballot_mask) { ballot_mask<<<1, 32>>>(zeros<unsigned int>(32)); }

// case warp_sync_mask: a warp-wide operation with mask 0xffffffff
__global__ void warp_sync_mask(int* y) {
  __shared__ int words[32];
  if (threadIdx.x < 8) {
    words[threadIdx.x] = threadIdx.x;
    __syncwarp(EITHER(~0u, 0xffu));  // @warp_sync_mask
    y[threadIdx.x] = words[7 - threadIdx.x];
  }
  y[32 + threadIdx.x] = 1;
}
CASE(warp_sync_mask) { warp_sync_mask<<<1, 32>>>(zeros<int>(64)); }
