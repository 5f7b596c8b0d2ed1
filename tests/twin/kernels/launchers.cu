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

extern "C" void launch_attn_softmax(float* inp_inout, const float* mask, int batch, int nhead,
                                    int from_len, int to_len, bool mask_future, cudaStream_t stream) {
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

__global__ void normalise(float* out, float* vars, float* means, const float* x, const float* scale,
                          const float* bias, int n) {
  const float* row = x + blockIdx.x * n;
  if (threadIdx.x) return;
  float mean = 0, variance = 0;
  for (int i = 0; i < n; ++i) mean += row[i] / n;
  for (int i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean) / n;
  for (int i = 0; i < n; ++i)
    out[blockIdx.x * n + i] = (row[i] - mean) * rsqrtf(variance + 1e-8f) * scale[i] + bias[i];
  vars[blockIdx.x] = variance;
  means[blockIdx.x] = mean;
}

extern "C" void launch_layernorm(float* out, float* vars, float* means, const float* inp,
                                 const float* scale, const float* bias, int rows, int hidden,
                                 cudaStream_t) {
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

__global__ void map_kernel(float* out, const float* in, int size, int fn_id) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float x = in[i];
  out[i] = fn_id == 3    ? x
           : fn_id == 4  ? -x
           : fn_id == 7  ? 1 / (1 + expf(-x))
           : fn_id == 8  ? fmaxf(x, 0)
           : fn_id == 12 ? expf(x)
           : fn_id == 18 ? tanhf(x)
                         : 0;
}

extern "C" void tensorMap(float* out, int* out_shape, int* out_strides, int out_size, float* in,
                          int* in_shape, int* in_strides, int in_size, int rank, int fn_id) {
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * in_size);
  cudaMalloc(&y, sizeof(float) * out_size);
  cudaMemcpy(x, in, sizeof(float) * in_size, cudaMemcpyHostToDevice);
  map_kernel<<<(out_size + 31) / 32, 32>>>(y, x, out_size, fn_id);
  cudaMemcpy(out, y, sizeof(float) * out_size, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  (void)out_shape, (void)out_strides, (void)in_shape, (void)in_strides, (void)rank;
}

__global__ void multiply_kernel(float* out, const float* a, const float* b, int m, int n, int p) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, batch = blockIdx.z;
  if (column >= p) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[(batch * m + row) * n + k] * b[(batch * n + k) * p + column];
  out[(batch * m + row) * p + column] = sum;
}

extern "C" void MatrixMultiply(float* out, int*, int*, float* a, int* a_shape, int*, float* b, int*,
                               int*, int batch, int m, int p) {
  const int n = a_shape[2];
  const size_t in_a = sizeof(float) * batch * m * n, in_b = sizeof(float) * batch * n * p,
               in_out = sizeof(float) * batch * m * p;
  float *x, *y, *z;
  cudaMalloc(&x, in_a);
  cudaMalloc(&y, in_b);
  cudaMalloc(&z, in_out);
  cudaMemcpy(x, a, in_a, cudaMemcpyHostToDevice);
  cudaMemcpy(y, b, in_b, cudaMemcpyHostToDevice);
  multiply_kernel<<<dim3((p + 31) / 32, m, batch), 32>>>(z, x, y, m, n, p);
  cudaMemcpy(out, z, in_out, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
}
