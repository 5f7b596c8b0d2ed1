// The softmax of each row, by a block of 256 threads. It has a fault: see ../kernels.md.
#include <cuda_runtime.h>

constexpr int threads = 256;

// The largest value, or the sum, of what the threads of a block have.
template <class Op> __device__ float of_block(float own, Op op, float* shared) {
  shared[threadIdx.x] = own;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  return shared[0];
}

__global__ void softmax_rows(float* out, const float* in, const float* mask, int cols) {
  __shared__ float shared[threads];
  const float* x = in + (size_t)blockIdx.x * cols;
  const float* m = mask + (size_t)blockIdx.x * cols;
  float* y = out + (size_t)blockIdx.x * cols;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += threads) largest = fmaxf(largest, x[i] + m[i]);
  largest = of_block(
      largest, [](float a, float b) { return fmaxf(a, b); }, shared);

  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += threads) sum += expf(x[i] + m[i] - largest);
  sum = of_block(
      sum, [](float a, float b) { return a + b; }, shared);

  for (int i = threadIdx.x; i < cols; i += threads) y[i] = expf(x[i] + m[i] - largest) / sum;
}

// What Torchlight looks for in a softmax_kernel: host pointers, `rows` rows of `cols` numbers, a mask to add.
extern "C" void attn_softmax_fw(float* out, const float* in, const float* mask, int rows, int cols) {
  const size_t bytes = (size_t)rows * cols * sizeof(float);
  float *d_out, *d_in, *d_mask;
  cudaMalloc(&d_out, bytes);
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_mask, bytes);
  cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_mask, mask, bytes, cudaMemcpyHostToDevice);
  softmax_rows<<<rows, threads>>>(d_out, d_in, d_mask, cols);
  cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_out);
  cudaFree(d_in);
  cudaFree(d_mask);
}
