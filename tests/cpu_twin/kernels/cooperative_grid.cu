// A cooperative launch: all blocks wait for each other between the phases, and groups reduce in between.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.cuh"

#include <vector>

namespace cg = cooperative_groups;

__global__ void normalise(float* x, int n, float* partial, float* total) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ float sums[32];
  float sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i] * x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  cg::sync(block);
  if (warp.meta_group_rank() == 0) {
    sum = warp.thread_rank() < warp.meta_group_size() ? sums[warp.thread_rank()] : 0.0f;
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) partial[blockIdx.x] = sum;
  }
  grid.sync();
  if (grid.thread_rank() == 0) {
    float all = 0;
    for (unsigned int b = 0; b < gridDim.x; ++b) all += partial[b];
    *total = all;
  }
  grid.sync();
  const float factor = rsqrtf(*total);
  for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] *= factor;
}

/// Tiles of every size add their ranks; a tile of 8 finds its largest value.
__global__ void tiles(int* sums, int* largest, const int* in) {
  cg::thread_block block = cg::this_thread_block();
  auto tile16 = cg::tiled_partition<16>(block);
  auto tile8 = cg::tiled_partition<8>(tile16);
  const int rank_sum = cg::reduce(tile16, (int)tile16.thread_rank(), cg::plus<int>());
  const int best = cg::reduce(tile8, in[block.thread_rank()], cg::greater<int>());
  if (tile16.thread_rank() == 0) sums[block.thread_rank() / 16] = rank_sum;
  // Of a tile's tiles this is the first or the second; of the block's, one of four.
  const unsigned int place =
      tile16.meta_group_rank() * tile8.meta_group_size() + tile8.meta_group_rank();
  if (tile8.thread_rank() == 0) largest[place] = best;
}

int main() {
  const int n = 3000, blocks = 4, threads = 128;
  Noise noise(2);
  std::vector<float> x(n), got(n);
  std::vector<int> in(64), sums(4), largest(8);
  for (float& v : x) v = noise.next();
  for (int& v : in) v = (int)(1000 * noise.next());
  float *d_x, *d_partial, *d_total;
  int *d_in, *d_sums, *d_largest, count = n;
  CHECK_CUDA(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_partial, blocks * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_total, sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_in, 64 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_sums, 4 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_largest, 8 * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_in, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  void* arguments[] = {&d_x, &count, &d_partial, &d_total};
  CHECK_CUDA(
      cudaLaunchCooperativeKernel((void*)normalise, dim3(blocks), dim3(threads), arguments, 0, 0));
  tiles<<<1, 64>>>(d_sums, d_largest, d_in);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(got.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(sums.data(), d_sums, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(largest.data(), d_largest, 8 * sizeof(int), cudaMemcpyDeviceToHost));

  int wrong = 0;
  double square = 0;
  for (float v : x) square += (double)v * v;
  for (int i = 0; i < n; ++i) wrong += differs(got[i], x[i] / sqrt(square), 1e-5);
  for (int s : sums) wrong += s != 120;
  for (int t = 0; t < 8; ++t) {
    int best = in[t * 8];
    for (int i = 1; i < 8; ++i) best = max(best, in[t * 8 + i]);
    wrong += largest[t] != best;
  }
  free_all(d_x, d_partial, d_total, d_in, d_sums, d_largest);
  return verdict(wrong);
}
