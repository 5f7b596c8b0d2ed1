// Tiled matrix product with shared memory, for sizes that are no multiple of the tile.
#include "check.cuh"

#include <vector>

template <int BLOCK_SIZE>
__global__ void __launch_bounds__(BLOCK_SIZE* BLOCK_SIZE)
    MatrixMulCUDA(float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B,
                  int M, int N, int K) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE + 1];
  const int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  const int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  float Csub = 0;
  for (int t = 0; t < (K + BLOCK_SIZE - 1) / BLOCK_SIZE; ++t) {
    const int a_col = t * BLOCK_SIZE + threadIdx.x;
    const int b_row = t * BLOCK_SIZE + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = Csub;
}

template <int BLOCK_SIZE> int wrong_for(int M, int N, int K) {
  std::vector<float> a(M * K), b(K * N), c(M * N);
  Noise noise(M + N + K);
  for (float& x : a) x = noise.next();
  for (float& x : b) x = noise.next();
  float *d_a, *d_b, *d_c;
  CHECK_CUDA(cudaMalloc((void**)&d_a, a.size() * sizeof(float)));
  CHECK_CUDA(cudaMalloc((void**)&d_b, b.size() * sizeof(float)));
  CHECK_CUDA(cudaMalloc((void**)&d_c, c.size() * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
  dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
  dim3 grid((N + threads.x - 1) / threads.x, (M + threads.y - 1) / threads.y);
  MatrixMulCUDA<BLOCK_SIZE><<<grid, threads>>>(d_c, d_a, d_b, M, N, K);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(d_a));
  CHECK_CUDA(cudaFree(d_b));
  CHECK_CUDA(cudaFree(d_c));
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
      wrong += differs(c[i * N + j], sum, 1e-5);
    }
  }
  return wrong;
}

int main() {
  return verdict(wrong_for<16>(33, 70, 50) + wrong_for<32>(64, 32, 96) + wrong_for<8>(1, 9, 17));
}
