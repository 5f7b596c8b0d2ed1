// Atomics: a histogram privatised in shared memory, a float maximum by compare-and-swap, and the last block to
// arrive, found by a ticket, finishes the sum.
#include "check.cuh"

#include <vector>

#define BINS 64

__global__ void histogram(const unsigned char* data, int n, unsigned int* bins) {
  __shared__ unsigned int local[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(&local[data[i] % BINS], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

__device__ float atomicMaxFloat(float* address, float value) {
  int* as_int = (int*)address;
  int old = *as_int, assumed;
  do {
    assumed = old;
    old = atomicCAS(as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void extremes(const float* x, int n, float* largest, int* smallest_index,
                         unsigned long long* pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMaxFloat(largest, x[i]);
  if (x[i] < -0.9f) atomicMin(smallest_index, i);
  atomicMax(pairs, ((unsigned long long)(unsigned int)(x[i] * 1000 + 2000) << 32) | i);
}

__device__ unsigned int ticket = 0;

__global__ void sum_by_last_block(const float* x, int n, volatile float* partial, float* sum) {
  __shared__ bool is_last;
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) own += x[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) own += __shfl_xor_sync(~0u, own, lanes);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = own;
    __threadfence();
    is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0;
    for (unsigned int b = 0; b < gridDim.x; ++b) total += partial[b];
    *sum = total;
  }
}

__global__ void bit_and_exchange(unsigned int* word, unsigned int* seen, double* total) {
  atomicOr(word, 1u << threadIdx.x);
  atomicXor(word + 1, threadIdx.x);
  atomicAnd(word + 2, ~(1u << (threadIdx.x / 2)));
  atomicSub(word + 3, 2u);
  atomicExch(&seen[atomicAdd(word + 4, 1u)], threadIdx.x);
  atomicAdd(total, 0.25);
}

int main() {
  const int n = 10000;
  Noise noise(11);
  std::vector<unsigned char> data(n);
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) {
    x[i] = noise.next();
    data[i] = (unsigned char)(128 + 127 * noise.next());
  }
  unsigned char* d_data;
  unsigned int *d_bins, *d_words, *d_seen;
  float *d_x, *d_largest, *d_partial, *d_sum;
  int* d_index;
  unsigned long long* d_pair;
  double* d_total;
  CHECK_CUDA(cudaMalloc(&d_data, n));
  CHECK_CUDA(cudaMalloc(&d_bins, BINS * sizeof(unsigned int)));
  CHECK_CUDA(cudaMalloc(&d_words, 5 * sizeof(unsigned int)));
  CHECK_CUDA(cudaMalloc(&d_seen, 32 * sizeof(unsigned int)));
  CHECK_CUDA(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_largest, sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_partial, 8 * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_sum, sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_index, sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_pair, sizeof(unsigned long long)));
  CHECK_CUDA(cudaMalloc(&d_total, sizeof(double)));
  CHECK_CUDA(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(d_bins, 0, BINS * sizeof(unsigned int)));
  CHECK_CUDA(cudaMemset(d_largest, 0, sizeof(float)));
  CHECK_CUDA(cudaMemset(d_pair, 0, sizeof(unsigned long long)));
  CHECK_CUDA(cudaMemset(d_total, 0, sizeof(double)));
  const int far = n;
  CHECK_CUDA(cudaMemcpy(d_index, &far, sizeof(int), cudaMemcpyHostToDevice));
  const unsigned int words[5] = {0, 0, 0xffffffffu, 100, 0};
  CHECK_CUDA(cudaMemcpy(d_words, words, sizeof words, cudaMemcpyHostToDevice));

  histogram<<<5, 128>>>(d_data, n, d_bins);
  extremes<<<(n + 255) / 256, 256>>>(d_x, n, d_largest, d_index, d_pair);
  sum_by_last_block<<<8, 32>>>(d_x, n, d_partial, d_sum);
  sum_by_last_block<<<8, 32>>>(d_x, n, d_partial, d_sum);  // the ticket wrapped around
  bit_and_exchange<<<1, 32>>>(d_words, d_seen, d_total);
  CHECK_CUDA(cudaDeviceSynchronize());

  unsigned int bins[BINS], got[5], seen[32];
  float largest, sum;
  int index;
  unsigned long long pair;
  double total;
  CHECK_CUDA(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(got, d_words, sizeof got, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&largest, d_largest, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&index, d_index, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&pair, d_pair, sizeof pair, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(&total, d_total, sizeof(double), cudaMemcpyDeviceToHost));

  int wrong = 0, first = n;
  unsigned int want_bins[BINS] = {0};
  float want_largest = 0;
  double want_sum = 0;
  unsigned long long want_pair = 0;
  for (int i = 0; i < n; ++i) {
    ++want_bins[data[i] % BINS];
    want_sum += x[i];
    if (x[i] > want_largest) want_largest = x[i];
    if (x[i] < -0.9f && i < first) first = i;
    const unsigned long long p = ((unsigned long long)(unsigned int)(x[i] * 1000 + 2000) << 32) | i;
    if (p > want_pair) want_pair = p;
  }
  for (int b = 0; b < BINS; ++b) wrong += bins[b] != want_bins[b];
  wrong += largest != want_largest;
  wrong += index != first;
  wrong +=
      (pair >> 32) != (want_pair >> 32);  // host and device may contract x * 1000 + 2000 differently
  wrong += differs(sum, want_sum, 1e-3);
  wrong +=
      got[0] != 0xffffffffu || got[1] != 0 || got[2] != 0xffff0000u || got[3] != 36 || got[4] != 32;
  unsigned int lanes = 0;
  for (unsigned int s : seen) lanes |= 1u << s;
  wrong += lanes != 0xffffffffu || total != 8.0;
  free_all(d_data, d_bins, d_words, d_seen, d_x, d_largest, d_partial, d_sum, d_index, d_pair, d_total);
  return verdict(wrong);
}
