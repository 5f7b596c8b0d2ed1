// Indices and seeds by arithmetic that wraps around: random numbers by multiplication, signs by shifts, and rows of a
// matrix whose width comes first in the product.
#include "check.cuh"

#include <cstring>
#include <vector>

__global__ void congruential(unsigned* out, unsigned seed) {
  const unsigned s = threadIdx.x * 1664525u + seed;
  out[threadIdx.x] = s * 1664525u;
}
__global__ void scrambled(unsigned* out, unsigned base) {
  out[threadIdx.x] = (2 * threadIdx.x + base) * 1103515245u;
}
__global__ void back_and_forth(unsigned* out, unsigned base) {
  const unsigned s = base - threadIdx.x * 4000000000u;
  out[threadIdx.x] = (s - threadIdx.x * 3000000000u) + (threadIdx.x << 31) + (threadIdx.x << 30);
}
/// A long way from lane to lane, as an address: 64 bits mustn't be cut.
__global__ void far_apart(unsigned long long* out, unsigned long long base) {
  const unsigned long long s = base + threadIdx.x * 0x300000000ull;
  out[threadIdx.x] = s * 0x10001ull - (s << 33);
}
__global__ void alternate_signs(float* v) {
  const int t = threadIdx.x;
  v[t] = __int_as_float(__float_as_int(v[t]) ^ ((t & 1) << 31));
}
__global__ void ones(float* x, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  x[(size_t)n * row + threadIdx.x] = 1;
}
__device__ long long product(int a, int b) {
  long long c;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(c) : "r"(a), "r"(b));
  return c;
}
__device__ long long product_and_sum(unsigned a, unsigned b, long long c) {
  asm("mad.wide.u32 %0, %1, %2, %0;" : "+l"(c) : "r"(a), "r"(b));
  return c;
}
__global__ void uniform_first(int* x, int n) {
  x[product(n, threadIdx.y) + threadIdx.x] = 5;
  x[product_and_sum(n, threadIdx.y, 2 * n) + threadIdx.x] = 7;
  x[product(4, threadIdx.x) + 4 * n] = 9 + threadIdx.x;
}

int main() {
  const int n = 40;
  std::vector<unsigned> words(32);
  std::vector<unsigned long long> longs(32);
  std::vector<float> floats(32), matrix(n * 32);
  std::vector<int> numbers(n * 32);
  unsigned* d_words;
  unsigned long long* d_longs;
  float *d_floats, *d_matrix;
  int* d_numbers;
  CHECK_CUDA(cudaMalloc(&d_words, 32 * sizeof(unsigned)));
  CHECK_CUDA(cudaMalloc(&d_longs, 32 * sizeof(unsigned long long)));
  CHECK_CUDA(cudaMalloc(&d_floats, 32 * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_matrix, n * 32 * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_numbers, n * 32 * sizeof(int)));
  int wrong = 0;
  const auto words_back = [&] {
    CHECK_CUDA(cudaMemcpy(words.data(), d_words, 32 * sizeof(unsigned), cudaMemcpyDeviceToHost));
  };
  congruential<<<1, 32>>>(d_words, 12345);
  words_back();
  for (unsigned t = 0; t < 32; ++t) wrong += words[t] != (t * 1664525u + 12345) * 1664525u;
  scrambled<<<1, 32>>>(d_words, 999);
  words_back();
  for (unsigned t = 0; t < 32; ++t) wrong += words[t] != (2 * t + 999) * 1103515245u;
  back_and_forth<<<1, 32>>>(d_words, 77);
  words_back();
  for (unsigned t = 0; t < 32; ++t)
    wrong += words[t] != 77 - t * 4000000000u - t * 3000000000u + (t << 31) + (t << 30);
  far_apart<<<1, 32>>>(d_longs, 3);
  CHECK_CUDA(cudaMemcpy(longs.data(), d_longs, 32 * sizeof longs[0], cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned long long s = 3 + t * 0x300000000ull;
    wrong += longs[t] != s * 0x10001ull - (s << 33);
  }
  for (int t = 0; t < 32; ++t) floats[t] = t + 0.5f;
  CHECK_CUDA(cudaMemcpy(d_floats, floats.data(), 32 * sizeof(float), cudaMemcpyHostToDevice));
  alternate_signs<<<1, 32>>>(d_floats);
  CHECK_CUDA(cudaMemcpy(floats.data(), d_floats, 32 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) wrong += floats[t] != (t % 2 ? -1 : 1) * (t + 0.5f);
  for (const int width : {16, 8}) {
    CHECK_CUDA(cudaMemset(d_matrix, 0, n * 32 * sizeof(float)));
    ones<<<dim3(1, 2), dim3(width, 16)>>>(d_matrix, n);
    CHECK_CUDA(cudaMemcpy(matrix.data(), d_matrix, n * 32 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n * 32; ++i) wrong += matrix[i] != (i % n < width ? 1 : 0);
  }
  CHECK_CUDA(cudaMemset(d_numbers, 0, n * 32 * sizeof(int)));
  uniform_first<<<1, dim3(16, 2)>>>(d_numbers, n);
  CHECK_CUDA(cudaMemcpy(numbers.data(), d_numbers, n * 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 2 * n; ++i) {
    wrong += numbers[i] != (i % n < 16 ? 5 : 0);
    wrong += numbers[i + 2 * n] != (i % n < 16 ? 7 : 0);
  }
  for (int t = 0; t < 16; ++t) wrong += numbers[4 * n + 4 * t] != 9 + t;
  free_all(d_words, d_longs, d_floats, d_matrix, d_numbers);
  return verdict(wrong);
}
