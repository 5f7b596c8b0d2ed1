// A convolution whose filter lies in constant memory and whose tile, with its halo, in shared memory; device
// variables are written and read by symbol.
#include "check.cuh"

#include <vector>

#define RADIUS 4
#define TILE 128

__constant__ float filter[2 * RADIUS + 1];
__constant__ struct Options {
  float scale;
  int flip;
} options;
__device__ int clipped;
__device__ float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};

__global__ void convolve(const float* in, float* out, int n) {
  __shared__ float tile[TILE + 2 * RADIUS];
  const int i = blockIdx.x * TILE + threadIdx.x;
  tile[threadIdx.x + RADIUS] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < RADIUS) {
    const int left = i - RADIUS, right = i + TILE;
    tile[threadIdx.x] = left >= 0 ? in[left] : 0.0f;
    tile[threadIdx.x + RADIUS + TILE] = right < n ? in[right] : 0.0f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; ++k)
    sum += tile[threadIdx.x + RADIUS + k] * filter[RADIUS + (options.flip ? -k : k)];
  sum *= options.scale * table[threadIdx.x & 3];
  if (sum > 1.0f) {
    sum = 1.0f;
    atomicAdd(&clipped, 1);
  }
  out[i] = sum;
}

int main() {
  const int n = 1000;
  Noise noise(5);
  std::vector<float> in(n), out(n);
  for (float& x : in) x = noise.next();
  float weights[2 * RADIUS + 1];
  for (float& w : weights) w = 0.3f * noise.next();
  struct {
    float scale;
    int flip;
  } chosen = {0.75f, 1};
  const int zero = 0;
  float* table_address = nullptr;
  CHECK_CUDA(cudaMemcpyToSymbol(filter, weights, sizeof weights));
  CHECK_CUDA(cudaMemcpyToSymbol(options, &chosen, sizeof chosen));
  CHECK_CUDA(cudaMemcpyToSymbol(clipped, &zero, sizeof zero));
  CHECK_CUDA(cudaGetSymbolAddress((void**)&table_address, table));
  const float half = 0.5f;
  CHECK_CUDA(cudaMemcpy(table_address + 1, &half, sizeof half, cudaMemcpyHostToDevice));

  float *d_in, *d_out;
  CHECK_CUDA(cudaMalloc(&d_in, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  convolve<<<(n + TILE - 1) / TILE, TILE>>>(d_in, d_out, n);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  int got_clipped = -1;
  CHECK_CUDA(cudaMemcpyFromSymbol(&got_clipped, clipped, sizeof got_clipped));

  const float factors[4] = {1.0f, 0.5f, 4.0f, 8.0f};
  int wrong = 0, want_clipped = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k) {
      if (i + k >= 0 && i + k < n) sum += (double)in[i + k] * weights[RADIUS - k];
    }
    sum *= 0.75 * factors[i % TILE & 3];
    if (sum > 1) sum = 1, ++want_clipped;
    wrong += differs(out[i], sum, 1e-5);
  }
  wrong += got_clipped != want_clipped;
  free_all(d_in, d_out);
  return verdict(wrong);
}
