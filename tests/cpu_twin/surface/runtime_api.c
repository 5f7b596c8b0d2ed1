// The runtime API in C: every call type-checks, and the symbols are the twin's.
#include <cuda_runtime_api.h>

int use_runtime_api(void** pointer, cudaStream_t stream) {
  struct cudaDeviceProp properties;
  dim3 grid = {1, 1, 1}, block = {32, 1, 1};
  cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  if (error == cudaSuccess) error = cudaMalloc(pointer, 16);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(*pointer, "0123456789abcdef", 16, cudaMemcpyHostToDevice, stream);
  if (error == cudaSuccess) error = cudaLaunchKernel(*pointer, grid, block, pointer, 0, stream);
  if (error != cudaSuccess) return cudaGetErrorString(error)[0];
  return (int)cudaFree(*pointer);
}
