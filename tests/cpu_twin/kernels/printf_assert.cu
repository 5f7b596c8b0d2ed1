// printf and assert in kernels: arguments of several types and sizes, from some threads alone; the assertions hold.
#include <assert.h>
#include <stdio.h>

struct Pair {
  int first;
  double second;
};

__device__ Pair make_pair_of(int i) {
  Pair p;
  p.first = i;
  p.second = i * 0.5;
  return p;
}

__global__ void talk(const int* values, int n, int* calls) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i >= 0);
  if (i >= n) return;
  assert(values[i] == i * i && "values are squares");
  if (i % 20 == 0) {
    const Pair p = make_pair_of(i);
    printf(
        "thread %d of block %u: value %d, half %.2f, size %lu, text %s, char %c, long %lld, hex %x, "
        "%%\n",
        threadIdx.x, blockIdx.x, values[i], p.second, sizeof(Pair), "abc", 'x', (long long)i << 33,
        i + 0xa0);
    atomicAdd(calls, 1);
  }
  if (i == 0) printf("no arguments\n");
}

int main() {
  const int n = 100;
  int host[n], *values, *calls, count = 0;
  for (int i = 0; i < n; ++i) host[i] = i * i;
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&calls, sizeof(int));
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(calls, 0, sizeof(int));
  talk<<<2, 64>>>(values, n, calls);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    printf("FAIL: %s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(&count, calls, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(calls);
  printf(count == 5 ? "PASS\n" : "FAIL: %d calls\n", count);
  return count != 5;
}
