// A launch that asks for more shared memory than it may have is an invalid argument, and no lasting error.
// reports: 100000 bytes of shared memory
#include "check.cuh"

__global__ void fill(int* y) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = words[threadIdx.x];
}

int main() {
  int got[32] = {}, *d_y, wrong = 0;
  CHECK_CUDA(cudaMalloc(&d_y, sizeof got));
  fill<<<1, 32, 100000>>>(d_y);
  wrong += cudaGetLastError() != cudaErrorInvalidValue;
  CHECK_CUDA(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  fill<<<1, 32, 100000>>>(d_y);
  CHECK_CUDA(cudaMemcpy(got, d_y, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) wrong += got[t] != t;
  CHECK_CUDA(cudaFree(d_y));
  return verdict(wrong);
}
