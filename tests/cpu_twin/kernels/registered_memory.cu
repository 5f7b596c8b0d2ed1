// Memory of the host's own that kernels use: registered, given back, and registered again in another size.
#include "check.cuh"

#include <vector>

__global__ void add_one(int* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] += 1;
}

int main() {
  const int counts[] = {64, 1 << 20, 1000, 1 << 18};
  std::vector<int> x(1 << 20);
  int wrong = 0;
  for (const int n : counts) {
    CHECK_CUDA(cudaHostRegister(x.data(), n * sizeof(int), cudaHostRegisterDefault));
    int* d_x = nullptr;
    CHECK_CUDA(cudaHostGetDevicePointer((void**)&d_x, x.data(), 0));
    add_one<<<4, 64>>>(d_x, n);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaHostUnregister(x.data()));
  }
  for (int i = 0; i < 1 << 20; ++i) {
    int want = 0;
    for (const int n : counts) want += i < n;
    wrong += x[i] != want;
  }
  return verdict(wrong);
}
