// Kernels to be launched alone, and to be counted.
#include <cuda_runtime.h>

extern "C" __global__ void scale(const float* x, float* y, int n, double factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = static_cast<float>(x[i] * factor);
}
extern "C" __global__ void half_of_it(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i < n) y[2 * i] = x[2 * i];
}
extern "C" __global__ void behind_end(float* y, int n) {
  y[threadIdx.x + n] = 1;  // @behind_end
}
template <int step> __global__ void strided(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x * step];  // @strided
}
template __global__ void strided<1>(const float*, float*);
template __global__ void strided<8>(const float*, float*);

template <int width> __global__ void columns(float* y) {
  __shared__ float tile[32 * width];
  tile[threadIdx.x * width] = threadIdx.x;  // @columns
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x * width];
}
template __global__ void columns<32>(float*);
template __global__ void columns<33>(float*);

extern "C" __global__ void ways(float* y, int border) {
  if (threadIdx.x % 32 < border) {  // @ways
    for (int k = 0; k < 3; ++k) atomicAdd(y, 1.0f);
  } else {
    atomicAdd(y + 1, 1.0f);
  }
}
extern "C" __global__ void large(float* y) {
  extern __shared__ float room[];
  room[threadIdx.x] = 1;
  y[threadIdx.x] = room[threadIdx.x];
}
extern "C" __global__ void forever(volatile int* flag) {
  while (*flag == 0) {
  }
}
extern "C" __global__ void longs(long long* y, long long value, unsigned char small, bool yes) {
  y[0] = value, y[1] = small, y[2] = yes;
}
