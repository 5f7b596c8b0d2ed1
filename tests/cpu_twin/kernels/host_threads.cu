// Threads of the host that launch at once, each on memory of its own.
#include "check.cuh"

#include <thread>
#include <vector>

template <int block> __global__ void sums(float* out, const float* x, int n) {
  __shared__ float part[block];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += block) sum += x[i + n * blockIdx.x];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

template <int block> static void work(int* wrong) {
  const int n = 100, rows = 3;
  std::vector<float> x(n * rows), got(rows);
  for (size_t i = 0; i < x.size(); ++i) x[i] = (float)(i % 17 + block % 5);
  for (int round = 0; round < 8; ++round) {
    float *d_x, *d_out;
    CHECK_CUDA(cudaMalloc(&d_x, x.size() * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_out, rows * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    sums<block><<<rows, block>>>(d_out, d_x, n);
    CHECK_CUDA(cudaMemcpy(got.data(), d_out, rows * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < rows; ++row) {
      float want = 0;
      for (int i = 0; i < n; ++i) want += x[row * n + i];
      *wrong += got[row] != want;
    }
    free_all(d_x, d_out);
  }
}

int main() {
  int wrong[4] = {};
  std::thread threads[] = {std::thread(work<32>, wrong), std::thread(work<64>, wrong + 1),
                           std::thread(work<128>, wrong + 2), std::thread(work<256>, wrong + 3)};
  for (std::thread& thread : threads) thread.join();
  return verdict(wrong[0] + wrong[1] + wrong[2] + wrong[3]);
}
