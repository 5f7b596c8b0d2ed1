// Solutions of exercises: right without options, wrong with one.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdlib>

#if defined(RELU)
__global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(NO_TAIL)
  if (blockIdx.x * blockDim.x + blockDim.x <= n) y[i] = x[i] > 0 ? x[i] : 0;
#elif defined(NO_GUARD)
  y[i] = x[i] > 0 ? x[i] : 0;  // @no_guard
#elif defined(ENDLESS)
  while (n == 33) *const_cast<volatile float*>(y) = 1;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
#else
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
#endif
}
extern "C" void solve(const float* input, float* output, int N) {
#if defined(EXITS)
  if (N == 31) std::exit(0);
#elif defined(CRASHES)
  if (N == 31) std::abort();
#elif defined(GREEDY)
  if (N == 31) {
    char* much = static_cast<char*>(std::malloc(std::size_t{1} << 30));
    for (std::size_t k = 0; k < std::size_t{1} << 30; k += 4096)
      const_cast<volatile char*>(much)[k] = 1;
    for (volatile int wait = 0; wait < 2000000000; ++wait) {
    }
  }
#endif
  relu<<<(N + 255) / 256, 256>>>(input, output, N);
  cudaDeviceSynchronize();
}

#elif defined(MATMUL)
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[16][16], bs[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] =
        column < k && t + threadIdx.y < n ? b[(t + threadIdx.y) * k + column] : 0;
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < k) c[row * k + column] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
#ifdef TURNED
  const dim3 grid((M + 15) / 16, (K + 15) / 16);
#else
  const dim3 grid((K + 15) / 16, (M + 15) / 16);
#endif
  multiply<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}

#elif defined(SOFTMAX)
__global__ void softmax(const float* x, float* y, int n) {
  float most = -INFINITY, sum = 0;
#ifndef NO_MAXIMUM
  for (int i = 0; i < n; ++i) most = fmaxf(most, x[i]);
#else
  most = 0;
#endif
  for (int i = 0; i < n; ++i) sum += expf(x[i] - most);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = expf(x[i] - most) / sum;
}
extern "C" void solve(const float* input, float* output, int N) {
  softmax<<<1, 256>>>(input, output, N);
}
#endif
