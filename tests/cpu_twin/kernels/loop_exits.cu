// Loops that threads leave one by one, through exits that each have code of their own: a search that reports where and
// how it ended, and lanes that go on through a jump table and through function pointers.
#include "check.cuh"

#include <vector>

/// Left behind `return`s and `break`s: a value found, a stop sign, or the end.
__global__ void search(const int* lengths, const float* x, int* out) {
  const int n = lengths[threadIdx.x];
  int i = 0;
  for (;;) {
    if (x[i] > 1e30f) {
      out[threadIdx.x] = -i;
      break;
    }
    if (++i >= n) {
      out[threadIdx.x] = i * 3 + 7;
      break;
    }
  }
}

/// The same in two loops, one in the other, so that each has lanes waiting. The host runs it too.
__host__ __device__ __forceinline__ void walk(int n, int* out) {
  int sum = 0, row = 0;
  for (;;) {
    int column = 0;
    for (;;) {
      sum += row * 5 + column;
      if (column > row + n) {
        sum ^= 3;
        break;
      }
      if (++column >= n) {
        sum += 11;
        break;
      }
      if (sum > 9000) {
        *out = -sum;
        return;
      }
    }
    if (sum % 17 == 4) {
      *out = sum * 2;
      break;
    }
    if (++row >= n) {
      *out = sum + row;
      break;
    }
  }
}
__global__ void nested(const int* lengths, int* out) { walk(lengths[threadIdx.x], out + threadIdx.x); }
static int nested_on_host(int n) {
  int out = 0;
  walk(n, &out);
  return out;
}

typedef int (*Step)(int);
__device__ __noinline__ int twice(int x) { return 2 * x + 1; }
__device__ __noinline__ int third(int x) { return x / 3; }
__device__ __noinline__ int less(int x) { return x - 7; }
__device__ Step steps[3] = {twice, third, less};

/// Lanes that call different functions, and leave the loop at different times.
__global__ void walk(int* out) {
  int x = threadIdx.x * 37, round = 0;
  for (;;) {
    x = steps[(x + round) % 3](x);
    if (x < 0) {
      out[threadIdx.x] = x * 5;
      break;
    }
    if (++round > (int)threadIdx.x) {
      out[threadIdx.x] = x + round;
      break;
    }
    if (x > 100000) x %= 1000;
  }
}
static int walk_on_host(int t) {
  int x = t * 37, round = 0;
  for (;;) {
    const int which = (x + round) % 3;
    x = which == 0 ? 2 * x + 1 : which == 1 ? x / 3 : x - 7;
    if (x < 0) return x * 5;
    if (++round > t) return x + round;
    if (x > 100000) x %= 1000;
  }
}

int main() {
  std::vector<int> lengths(32), got(32);
  for (int t = 0; t < 32; ++t) lengths[t] = t + 1;
  int *d_lengths, *d_out;
  float* d_x;
  CHECK_CUDA(cudaMalloc(&d_lengths, 32 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_out, 32 * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_x, 32 * sizeof(float)));
  CHECK_CUDA(cudaMemset(d_x, 0, 32 * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_lengths, lengths.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
  int wrong = 0;
  search<<<1, 32>>>(d_lengths, d_x, d_out);
  CHECK_CUDA(cudaMemcpy(got.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) wrong += got[t] != (t + 1) * 3 + 7;
  nested<<<1, 32>>>(d_lengths, d_out);
  CHECK_CUDA(cudaMemcpy(got.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) wrong += got[t] != nested_on_host(t + 1);
  walk<<<1, 32>>>(d_out);
  CHECK_CUDA(cudaMemcpy(got.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) wrong += got[t] != walk_on_host(t);
  free_all(d_lengths, d_out, d_x);
  return verdict(wrong);
}
