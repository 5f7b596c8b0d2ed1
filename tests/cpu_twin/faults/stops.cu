// Kernels that stop, or never do.
#include <assert.h>

#include "fault.cuh"

// case failed_assert: block (1,0,0) thread (3,0,0): stops.cu:\d+: .*failed_assert.*: assertion "i < n" failed
__global__ void failed_assert(int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < n);
  y[i] = i;
}
CASE(failed_assert) { failed_assert<<<2, 32>>>(zeros<int>(64), EITHER(35, 64)); }

// case trap: block (0,0,0) thread (7,0,0): trap
__global__ void trap(int* y) {
  if (threadIdx.x == EITHER(7, 77)) __trap();  // @trap
  y[threadIdx.x] = 1;
}
CASE(trap) { trap<<<1, 32>>>(zeros<int>(32)); }

// case endless: stopped: it ran longer than it may
__global__ void endless(volatile int* flag) {
  while (EITHER(*flag == 0, *flag != 0)) {  // @endless
  }
}
CASE(endless) { endless<<<1, 32>>>(zeros<int>(1)); }

// case waits_for_a_lane: stopped: it ran longer than it may
__global__ void waits_for_a_lane(int* lock, int* y) {
#ifdef FIXED
  if (threadIdx.x % 32 == 0)
#endif
  {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    y[0] = EITHER(1, 1);
    if (threadIdx.x == 0) y[1] = 1;
    __threadfence();
    EITHER(atomicAdd(lock, 0), atomicExch(lock, 0));
  }
}
CASE(waits_for_a_lane) { waits_for_a_lane<<<1, 32>>>(zeros<int>(1), zeros<int>(2)); }

typedef int (*Function)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ Function table[2];
__global__ void fill_table() { table[0] = twice; }
// case bad_pointer: block (0,0,0) thread (0,0,0): a call through a pointer that is no function's
__global__ void bad_pointer(int* y, int which) {
  y[threadIdx.x] = table[which](threadIdx.x);  // @bad_pointer
}
CASE(bad_pointer) {
  fill_table<<<1, 1>>>();
  bad_pointer<<<1, 32>>>(zeros<int>(32), EITHER(1, 0));
}

__device__ __noinline__ int deeper(int n, int step) {
  return n == 0 ? 1 : 3 * deeper(n - step, step) + n;  // @recursion
}
// case recursion: calls nested more than 10000 deep
__global__ void recursion(int* y, int step) { y[threadIdx.x] = deeper(threadIdx.x, step); }
CASE(recursion) { recursion<<<1, 32>>>(zeros<int>(32), EITHER(0, 1)); }
