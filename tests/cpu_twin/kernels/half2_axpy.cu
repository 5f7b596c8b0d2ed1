// half2 and float4: an axpy over pairs of halves, eight loaded at once, a dot product in float, and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.cuh"

#include <vector>

__global__ void axpy_half2(int n2, __half2 a, const __half2* x, __half2* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n2) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void gelu_half8(const half* x, half* y, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  float4 packed = *reinterpret_cast<const float4*>(x + i);
  half2* pairs = reinterpret_cast<half2*>(&packed);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float2 v = __half22float2(pairs[k]);
    v.x = 0.5f * v.x * (1.0f + tanhf(0.7978845608f * (v.x + 0.044715f * v.x * v.x * v.x)));
    v.y = 0.5f * v.y * (1.0f + tanhf(0.7978845608f * (v.y + 0.044715f * v.y * v.y * v.y)));
    pairs[k] = __float22half2_rn(v);
  }
  *reinterpret_cast<float4*>(y + i) = packed;
}

__global__ void dot(const half2* a, const half2* b, int n2, float* result) {
  float sum = 0;
  half2 largest = __float2half2_rn(-60000.0f);
  for (int i = threadIdx.x; i < n2; i += blockDim.x) {
    const half2 p = a[i] * b[i];
    sum += __low2float(p) + __high2float(p);
    largest = __hmax2(largest, p);
  }
  half best = __hmax(__low2half(largest), __high2half(largest));
  for (int lanes = 16; lanes > 0; lanes >>= 1) {
    sum += __shfl_down_sync(0xffffffff, sum, lanes);
    best = __hmax(best, __shfl_down_sync(0xffffffff, best, lanes));
  }
  if (threadIdx.x == 0) {
    result[0] = sum;
    result[1] = __half2float(best);
  }
}

__global__ void round_to_bfloat(const float* x, __nv_bfloat16* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2bfloat16(x[i]) * __float2bfloat16(2.0f);
}

int main() {
  const int n = 1024;
  Noise noise(9);
  std::vector<__half> x(n), y(n), got(n), gelu(n);
  std::vector<float> f(n);
  std::vector<__nv_bfloat16> rounded(n);
  for (int i = 0; i < n; ++i) {
    x[i] = __float2half(noise.next());
    y[i] = __float2half(noise.next());
    f[i] = 100 * noise.next();
  }
  __half *d_x, *d_y, *d_g;
  __nv_bfloat16* d_b;
  float *d_result, *d_f;
  CHECK_CUDA(cudaMalloc(&d_x, n * sizeof(__half)));
  CHECK_CUDA(cudaMalloc(&d_y, n * sizeof(__half)));
  CHECK_CUDA(cudaMalloc(&d_g, n * sizeof(__half)));
  CHECK_CUDA(cudaMalloc(&d_b, n * sizeof(__nv_bfloat16)));
  CHECK_CUDA(cudaMalloc(&d_f, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_result, 2 * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_x, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_y, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_f, f.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  axpy_half2<<<2, 256>>>(n / 2, __float2half2_rn(0.5f), (__half2*)d_x, (__half2*)d_y);
  gelu_half8<<<1, 128>>>(d_x, d_g, n);
  dot<<<1, 32>>>((half2*)d_x, (half2*)d_x, n / 2, d_result);
  round_to_bfloat<<<4, 256>>>(d_f, d_b, n);
  CHECK_CUDA(cudaDeviceSynchronize());
  float result[2];
  CHECK_CUDA(cudaMemcpy(got.data(), d_y, n * sizeof(__half), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(gelu.data(), d_g, n * sizeof(__half), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(rounded.data(), d_b, n * sizeof(__nv_bfloat16), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(result, d_result, sizeof result, cudaMemcpyDeviceToHost));

  int wrong = 0;
  double sum = 0, best = -60000;
  for (int i = 0; i < n; ++i) {
    const float v = __half2float(x[i]);
    const float fused = 0.5f * v + __half2float(y[i]);  // exact in float
    wrong += __half2float(got[i]) != __half2float(__float2half(fused));
    const double g = 0.5 * v * (1 + tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
    wrong += differs(__half2float(gelu[i]), g, 1e-3);
    const float square = __half2float(__float2half(v * v));
    sum += square;
    if (square > best) best = square;
    wrong += differs(__bfloat162float(rounded[i]), 2 * f[i], 0.004);
  }
  wrong += differs(result[0], sum, 1e-4) + (result[1] != (float)best);
  free_all(d_x, d_y, d_g, d_b, d_f, d_result);
  return verdict(wrong);
}
