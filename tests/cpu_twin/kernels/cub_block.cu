// cub's block primitives: each block loads its tile, reduces and scans it, and stores the scan.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>

#include <cmath>
#include <cstdio>
#include <vector>

template <int kThreads, int kItems>
__global__ void scan_tiles(const float* in, float* scanned, float* sums, int n) {
  typedef cub::BlockLoad<float, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
  typedef cub::BlockStore<float, kThreads, kItems, cub::BLOCK_STORE_TRANSPOSE> Store;
  typedef cub::BlockScan<float, kThreads> Scan;
  typedef cub::BlockReduce<float, kThreads> Reduce;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } shared;

  const int first = blockIdx.x * kThreads * kItems;
  const int valid = min(n - first, kThreads * kItems);
  float items[kItems];
  Load(shared.load).Load(in + first, items, valid, 0.0f);
  __syncthreads();
  const float sum = Reduce(shared.reduce).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  Scan(shared.scan).InclusiveSum(items, items);
  __syncthreads();
  Store(shared.store).Store(scanned + first, items, valid);
}

struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

__global__ void warp_maxima(const float* in, float* maxima) {
  typedef cub::WarpReduce<float> Reduce;
  __shared__ typename Reduce::TempStorage shared[4];
  const int warp = threadIdx.x / 32;
  const float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const float best = Reduce(shared[warp]).Reduce(value, Larger());
  if (threadIdx.x % 32 == 0) maxima[blockIdx.x * 4 + warp] = best;
}

int main() {
  const int threads = 128, items = 4, tile = threads * items, n = 5 * tile - 37, tiles = 5;
  std::vector<float> in(tiles * tile, 0.0f), scanned(n), sums(tiles), maxima(n / 128 * 4);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % 17) - 8.0f;

  float *d_in, *d_scanned, *d_sums, *d_maxima;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_scanned, n * sizeof(float));
  cudaMalloc(&d_sums, tiles * sizeof(float));
  cudaMalloc(&d_maxima, maxima.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  scan_tiles<threads, items><<<tiles, threads>>>(d_in, d_scanned, d_sums, n);
  warp_maxima<<<n / 128, 128>>>(d_in, d_maxima);
  cudaMemcpy(scanned.data(), d_scanned, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), d_sums, tiles * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(maxima.data(), d_maxima, maxima.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return printf("FAIL: %s\n", cudaGetErrorString(cudaGetLastError())), 1;

  int wrong = 0;
  for (int t = 0; t < tiles; ++t) {
    float sum = 0;
    for (int i = t * tile; i < (t + 1) * tile && i < n; ++i) {
      sum += in[i];
      if (std::fabs(sum - scanned[i]) > 1e-3f) ++wrong;
    }
    if (std::fabs(sum - sums[t]) > 1e-3f) ++wrong;
  }
  for (size_t w = 0; w < maxima.size(); ++w) {
    float best = in[w * 32];
    for (int i = 1; i < 32; ++i) best = std::fmax(best, in[w * 32 + i]);
    if (best != maxima[w]) ++wrong;
  }
  for (float* memory : {d_in, d_scanned, d_sums, d_maxima}) cudaFree(memory);
  printf(wrong == 0 ? "PASS\n" : "FAIL: %d wrong\n", wrong);
  return wrong != 0;
}
