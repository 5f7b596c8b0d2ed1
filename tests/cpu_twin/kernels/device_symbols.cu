// Device variables by name: plain, constant and managed ones, parts of them, and what is refused. At the end a kernel
// stops, and the error that it leaves is met by every call that follows.
// reports: trap
#include "check.cuh"

#include <cstring>

__device__ int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ float factors[4];
__managed__ int shared_by_both[4] = {10, 20, 30, 40};

__global__ void scale(float* y) { y[threadIdx.x] = factors[threadIdx.x] * numbers[threadIdx.x]; }
__global__ void raise() { shared_by_both[threadIdx.x] += 1; }
__global__ void stop() { __trap(); }

static int managed_by_name() {
  const int given[2] = {7, 8};
  int got[4], wrong = 0;
  CHECK_CUDA(cudaMemcpyToSymbol(shared_by_both, given, sizeof given, sizeof(int)));
  raise<<<1, 4>>>();
  CHECK_CUDA(cudaMemcpyFromSymbol(got, shared_by_both, sizeof got));
  const int want[4] = {11, 8, 9, 41};
  for (int k = 0; k < 4; ++k) wrong += got[k] != want[k] || shared_by_both[k] != want[k];
  void* address = nullptr;
  size_t bytes = 0;
  CHECK_CUDA(cudaGetSymbolAddress(&address, shared_by_both));
  CHECK_CUDA(cudaGetSymbolSize(&bytes, shared_by_both));
  return wrong + (address != (void*)&shared_by_both[0]) + (bytes != sizeof shared_by_both);
}

static int refused() {
  int words[9] = {}, wrong = 0;
  const int no_symbol = 0;
  wrong += cudaMemcpyFromSymbol(words, numbers, sizeof words) != cudaErrorInvalidValue;
  wrong += cudaMemcpyFromSymbol(words, numbers, 8, 28) != cudaErrorInvalidValue;
  wrong += cudaMemcpyToSymbol(numbers, words, 4, 33) != cudaErrorInvalidValue;
  wrong += cudaMemcpyToSymbol(numbers, nullptr, 4) != cudaErrorInvalidValue;
  wrong += cudaMemcpyToSymbol(no_symbol, words, 4) != cudaErrorInvalidSymbol;
  wrong += cudaMemcpyFromSymbol(words, no_symbol, 4) != cudaErrorInvalidSymbol;
  cudaGetLastError();
  return wrong;
}

static int after_a_stop() {
  int words[8] = {}, wrong = 0;
  void* address = nullptr;
  size_t bytes = 0;
  stop<<<1, 1>>>();
  const cudaError_t error = cudaDeviceSynchronize();
  wrong += error == cudaSuccess;
  wrong += cudaMemcpyToSymbol(numbers, words, sizeof words) != error;
  wrong += cudaMemcpyFromSymbol(words, numbers, sizeof words) != error;
  wrong += cudaGetSymbolAddress(&address, numbers) != error;
  wrong += cudaGetSymbolSize(&bytes, numbers) != error;
  return wrong;
}

int main() {
  const float given[4] = {0.5f, 1.5f, -2.0f, 4.0f};
  float got[4], *d_y;
  int wrong = 0;
  CHECK_CUDA(cudaMalloc(&d_y, sizeof got));
  CHECK_CUDA(cudaMemcpyToSymbol(factors, given, sizeof given));
  scale<<<1, 4>>>(d_y);
  CHECK_CUDA(cudaMemcpy(got, d_y, sizeof got, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; ++k) wrong += got[k] != given[k] * (k + 1);
  CHECK_CUDA(cudaFree(d_y));
  wrong += managed_by_name() + refused() + after_a_stop();
  return verdict(wrong);
}
