// A whole program: adds numbers in blocks of 128. Without options it is right; each option brings one fault, which
// --check must find in the line that is marked.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#include "numbers.h"

__global__ void block_sum(const float* x, float* sums, int n) {
  __shared__ float part[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
#ifdef TOO_FAR
  part[threadIdx.x] = x[i];  // @too_far
#else
  part[threadIdx.x] = i < n ? x[i] : 0;                                     // @written
#endif
#ifndef NO_BARRIER
  __syncthreads();
#endif
  for (int step = 64; step > 0; step /= 2) {
#ifdef HALF_BARRIER
    if (threadIdx.x < step) {
      part[threadIdx.x] += part[threadIdx.x + step];
      __syncthreads();  // @half_barrier
    }
#else
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];  // @read
    __syncthreads();
#endif
  }
#ifdef ALL_WRITE
  sums[0] += part[0];  // @all_write
#else
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
#endif
}

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 1000;
  const int blocks = (n + 127) / 128;
  float *x, *sums;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sums, blocks * sizeof(float));
  float* host = new float[n];
  for (int i = 0; i < n; ++i) host[i] = number(i);
  cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  block_sum<<<blocks, 128>>>(x, sums, n);
  cudaMemcpy(host, sums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int b = 0; b < blocks; ++b) sum += host[b];
  std::printf("sum %g\n", sum);
  char line[32];
  if (std::fgets(line, sizeof line, stdin)) std::printf("read %s", line);
  delete[] host;
#ifndef LEAK
  cudaFree(x);
#endif
  cudaFree(sums);
#ifdef HANGS
  for (volatile int forever = 1; forever;) {
  }
#endif
#ifdef CRASHES
  std::abort();
#endif
  return count > 2 ? std::atoi(words[2]) : 0;
}
