// A program that is wrong: its sum forgets the last element of each block.
#include "../kernels/check.cuh"

__global__ void sum(const int* x, int* total) {
  if (threadIdx.x + 1 < blockDim.x) atomicAdd(total, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main() {
  int x[128], *d_x, *d_total, total = 0, wanted = 0;
  for (int i = 0; i < 128; ++i) wanted += x[i] = i;
  CHECK_CUDA(cudaMalloc(&d_x, sizeof x));
  CHECK_CUDA(cudaMalloc(&d_total, sizeof total));
  CHECK_CUDA(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(d_total, 0, sizeof total));
  sum<<<2, 64>>>(d_x, d_total);
  CHECK_CUDA(cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost));
  return verdict(total != wanted);
}
