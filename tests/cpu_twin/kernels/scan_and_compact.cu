// Prefix sums by shuffles, compaction by ballots, and a counter that coalesced threads advance together.
#include <cooperative_groups.h>

#include "check.cuh"

#include <vector>

namespace cg = cooperative_groups;

__device__ __forceinline__ int warp_inclusive_scan(int value) {
  const int lane = threadIdx.x % warpSize;
  for (int delta = 1; delta < warpSize; delta <<= 1) {
    const int before = __shfl_up_sync(0xffffffffu, value, delta);
    if (lane >= delta) value += before;
  }
  return value;
}

template <int THREADS> __global__ void block_scan(const int* in, int* out, int* totals, int n) {
  __shared__ int warps[THREADS / 32];
  const int i = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / 32;
  int value = warp_inclusive_scan(i < n ? in[i] : 0);
  if (threadIdx.x % 32 == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int sum = warp_inclusive_scan(threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0);
    if (threadIdx.x < THREADS / 32) warps[threadIdx.x] = sum;
  }
  __syncthreads();
  if (warp > 0) value += warps[warp - 1];
  if (i < n) out[i] = value;
  if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = value;
}

__global__ void add_totals(int* out, const int* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += totals[blockIdx.x - 1];
}

/// Keeps the even numbers of each warp, in order.
__global__ void compact_warps(const int* in, int* out, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = in[i];
  const bool keep = value % 2 == 0;
  const unsigned int kept = __ballot_sync(0xffffffffu, keep);
  const int rank = __popc(kept & ((1u << (threadIdx.x & 31)) - 1));
  if (keep) out[i / 32 * 32 + rank] = value;
  if ((threadIdx.x & 31) == 0) counts[i / 32] = __popc(kept);
}

__device__ int atomicAggInc(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
  return active.shfl(first, 0) + active.thread_rank();
}

__global__ void filter_positive(const int* in, int n, int* out, int* counter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[atomicAggInc(counter)] = in[i];
}

__global__ void vote(const int* in, int* result) {
  const int value = in[threadIdx.x];
  const unsigned int peers = __match_any_sync(0xffffffffu, value % 4);
  int all_same;
  __match_all_sync(0xffffffffu, value, &all_same);
  const unsigned int leader = __ffs(peers) - 1;
  if (threadIdx.x == leader) atomicAdd(result, __popc(peers));
  if (__any_sync(0xffffffffu, value > 40) && threadIdx.x == 0) result[1] = 1;
  if (__all_sync(0xffffffffu, value > -51) && threadIdx.x == 0) result[2] = 1;
  if (all_same && threadIdx.x == 0) result[3] = 1;
  const int positive = __syncthreads_count(value > 0), any = __syncthreads_or(value == 12345);
  if (threadIdx.x == 0) result[4] = positive + 1000 * any;
}

int main() {
  const int n = 4 * 256, blocks = n / 256;
  std::vector<int> in(n), scanned(n), compacted(n), counts(n / 32), positive(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 7919) % 101 - 50;
  int *d_in, *d_out, *d_totals, *d_scanned_totals, *d_counts, *d_counter, *d_result;
  CHECK_CUDA(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_out, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_totals, 256 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_scanned_totals, 256 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_counts, n / 32 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_counter, sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_result, 5 * sizeof(int)));
  CHECK_CUDA(cudaMemset(d_counter, 0, sizeof(int)));
  CHECK_CUDA(cudaMemset(d_result, 0, 5 * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  block_scan<256><<<blocks, 256>>>(d_in, d_out, d_totals, n);
  block_scan<256><<<1, 256>>>(d_totals, d_scanned_totals, d_result, blocks);
  add_totals<<<blocks, 256>>>(d_out, d_scanned_totals, n);
  CHECK_CUDA(cudaMemcpy(scanned.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  compact_warps<<<blocks, 256>>>(d_in, d_out, d_counts);
  CHECK_CUDA(cudaMemcpy(compacted.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(counts.data(), d_counts, n / 32 * sizeof(int), cudaMemcpyDeviceToHost));
  filter_positive<<<blocks, 256>>>(d_in, n, d_out, d_counter);
  CHECK_CUDA(cudaMemset(d_result, 0, 5 * sizeof(int)));
  vote<<<1, 32>>>(d_in, d_result);
  int counter, result[5];
  CHECK_CUDA(cudaMemcpy(positive.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&counter, d_counter, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost));

  int wrong = 0, sum = 0, kept = 0, want_positive = 0, first_positive = 0;
  long long checksum = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    wrong += scanned[i] != sum;
    if (i % 32 == 0) kept = 0;
    if (in[i] % 2 == 0) wrong += compacted[i / 32 * 32 + kept++] != in[i];
    if (i % 32 == 31) wrong += counts[i / 32] != kept;
    if (in[i] > 0) ++want_positive, checksum += in[i];
    if (in[i] > 0 && i < 32) ++first_positive;
  }
  wrong += counter != want_positive;
  for (int i = 0; i < counter; ++i) checksum -= positive[i];
  wrong += checksum != 0;
  bool any_large = false;
  for (int i = 0; i < 32; ++i) any_large = any_large || in[i] > 40;
  wrong += result[0] != 32 || result[1] != any_large || result[2] != 1 || result[3] != 0 ||
           result[4] != first_positive;
  free_all(d_in, d_out, d_totals, d_scanned_totals, d_counts, d_counter, d_result);
  return verdict(wrong);
}
