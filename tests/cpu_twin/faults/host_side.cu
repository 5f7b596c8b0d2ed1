// What the host does wrong.
#include "fault.cuh"

// case host_pointer: block (0,0,0) thread (0,0,0): reads 4 bytes out of bounds: .*no device memory: a pointer of the host\?
__global__ void host_pointer(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];  // @host_pointer
}
CASE(host_pointer) {
  static int host[32];
  host_pointer<<<1, 32>>>(EITHER(host, zeros<int>(32)), zeros<int>(32));
}

// case stack_pointer: block (0,0,0) thread (0,0,0): (reads|writes) 4 bytes out of bounds: .*no device memory: a pointer of the host\?
__global__ void stack_pointer(int* y) {
  *y = 3;  // @stack_pointer
}
CASE(stack_pointer) {
  int result = 0;
  stack_pointer<<<1, 1>>>(EITHER(&result, zeros<int>(1)));
}

__global__ void fill(int* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

// case oversized_block: launch of fill.*: a block of 2048 x 1 x 1 threads; the most are 1024
CASE(oversized_block) { fill<<<EITHER(1, 2), EITHER(2048, 1024)>>>(zeros<int>(2048)); }

// case empty_grid: launch of fill.*: an empty grid or block
CASE(empty_grid) { fill<<<EITHER(0, 1), 32>>>(zeros<int>(32)); }

__global__ void __launch_bounds__(64) bounded(int* y) { y[threadIdx.x] = 1; }
// case launch_bounds: launch of bounded.*: a block of 128 threads, and its __launch_bounds__ says at most 64
CASE(launch_bounds) { bounded<<<1, EITHER(128, 64)>>>(zeros<int>(128)); }

__global__ void greedy(int* y) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  y[threadIdx.x] = words[threadIdx.x];
}
// case too_much_shared: launch of greedy.*: 102400 bytes of shared memory; 49152 are allowed
CASE(too_much_shared) {
  FIXED_ONLY(cudaFuncSetAttribute((const void*)greedy, cudaFuncAttributeMaxDynamicSharedMemorySize, 102400));
  greedy<<<1, 32, 102400>>>(zeros<int>(32));
}

__global__ void stuffed(int* y, int n) {
  __shared__ int words[EITHER(20000, 2000)];
  for (int i = threadIdx.x; i < n; i += 32) words[i] = i;
  __syncthreads();
  y[threadIdx.x] = words[n - 1 - threadIdx.x];
}
// case too_much_static: launch of stuffed.*: 80000 bytes of static shared memory; the most are 49152
CASE(too_much_static) { stuffed<<<1, 32>>>(zeros<int>(32), 2000); }

// case leak: leak: allocation 2 of 4096 bytes was never freed
CASE(leak) {
  void* lost = nullptr;
  zeros<int>(1);
  cudaMalloc(&lost, 4096);
  FIXED_ONLY(cudaFree(lost));
}

__global__ void use_after_free_kernel(int* y) {
  y[threadIdx.x] = 1;  // @use_after_free
}
// case use_after_free: block (0,0,0) thread (0,0,0): writes 4 bytes of freed memory: offset 0 of allocation 1 of 128 bytes, which was freed
CASE(use_after_free) {
  int* y = nullptr;
  cudaMalloc(&y, 128);
  EITHER(cudaFree(y), (void)0);
  use_after_free_kernel<<<1, 32>>>(y);
  FIXED_ONLY(cudaFree(y));
}

// case copy_of_freed: cudaMemcpy: 128 bytes of freed memory, from offset 0 of allocation 1 of 128 bytes
CASE(copy_of_freed) {
  int* y = nullptr;
  int host[32] = {};
  cudaMalloc(&y, 128);
  EITHER(cudaFree(y), (void)0);
  cudaMemcpy(y, host, 128, cudaMemcpyHostToDevice);
  FIXED_ONLY(cudaFree(y));
}

// case copy_too_long: cudaMemcpy: 132 bytes out of bounds, from offset 0 of allocation 1 of 128 bytes
CASE(copy_too_long) {
  int host[33] = {};
  cudaMemcpy(zeros<int>(32), host, EITHER(132, 128), cudaMemcpyHostToDevice);
}

// case double_free: cudaFree: not the beginning of living memory, but offset 0 of allocation 1 of 128 bytes, which was freed
CASE(double_free) {
  int* y = nullptr;
  cudaMalloc(&y, 128);
  cudaFree(y);
  EITHER(cudaFree(y), (void)0);
}

// case free_of_a_part: cudaFree: not the beginning of living memory, but offset 64 of allocation 1 of 128 bytes
CASE(free_of_a_part) {
  int* y = nullptr;
  cudaMalloc(&y, 128);
  EITHER(cudaFree(y + 16), (void)0);
  cudaFree(y);
}

// case free_of_the_host: cudaFree: .*no device memory: a pointer of the host\?
CASE(free_of_the_host) {
  int* y = new int[4];
  EITHER(cudaFree(y), (void)0);
  delete[] y;
}
