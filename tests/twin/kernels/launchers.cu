// Launchers with host pointers, as courses have them.
#include <cuda_runtime.h>
#include <cmath>

__global__ void softmax_row(float* x, const float* mask, int columns) {
  float* row = x + blockIdx.x * columns;
  const float* added = mask + blockIdx.x * columns;
  if (threadIdx.x) return;
  float most = -INFINITY, sum = 0;
  for (int i = 0; i < columns; ++i) most = fmaxf(most, row[i] + added[i]);
  for (int i = 0; i < columns; ++i) sum += expf(row[i] + added[i] - most);
  for (int i = 0; i < columns; ++i) row[i] = expf(row[i] + added[i] - most) / sum;
}

extern "C" void launch_attn_softmax(float* inp_inout, const float* mask, int batch, int nhead, int from_len, int to_len,
                                    bool mask_future, cudaStream_t stream) {
  const int rows = batch * nhead * from_len;
  const size_t bytes = sizeof(float) * rows * to_len;
  float *x, *m;
  cudaMalloc(&x, bytes);
  cudaMalloc(&m, bytes);
  cudaMemcpyAsync(x, inp_inout, bytes, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(m, mask, bytes, cudaMemcpyHostToDevice, stream);
  softmax_row<<<rows, 32, 0, stream>>>(x, m, to_len);
#ifndef FORGETS_TO_COPY
  cudaMemcpyAsync(inp_inout, x, bytes, cudaMemcpyDeviceToHost, stream);
#endif
  cudaStreamSynchronize(stream);
  cudaFree(x);
  cudaFree(m);
  (void)mask_future;
}

__global__ void normalise(float* out, float* vars, float* means, const float* x, const float* scale, const float* bias, int n) {
  const float* row = x + blockIdx.x * n;
  if (threadIdx.x) return;
  float mean = 0, variance = 0;
  for (int i = 0; i < n; ++i) mean += row[i] / n;
  for (int i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean) / n;
  for (int i = 0; i < n; ++i) out[blockIdx.x * n + i] = (row[i] - mean) * rsqrtf(variance + 1e-8f) * scale[i] + bias[i];
  vars[blockIdx.x] = variance;
  means[blockIdx.x] = mean;
}

extern "C" void launch_layernorm(float* out, float* vars, float* means, const float* inp, const float* scale,
                                 const float* bias, int rows, int hidden, cudaStream_t) {
  float* all;
  const size_t matrix = rows * hidden;
  cudaMalloc(&all, sizeof(float) * (2 * matrix + 2 * rows + 2 * hidden));
  float *x = all, *y = x + matrix, *v = y + matrix, *m = v + rows, *s = m + rows, *b = s + hidden;
  cudaMemcpy(x, inp, sizeof(float) * matrix, cudaMemcpyHostToDevice);
  cudaMemcpy(s, scale, sizeof(float) * hidden, cudaMemcpyHostToDevice);
  cudaMemcpy(b, bias, sizeof(float) * hidden, cudaMemcpyHostToDevice);
  normalise<<<rows, 32>>>(y, v, m, x, s, b, hidden);
  cudaMemcpy(out, y, sizeof(float) * matrix, cudaMemcpyDeviceToHost);
  cudaMemcpy(vars, v, sizeof(float) * rows, cudaMemcpyDeviceToHost);
  cudaMemcpy(means, m, sizeof(float) * rows, cudaMemcpyDeviceToHost);
  cudaFree(all);
}
