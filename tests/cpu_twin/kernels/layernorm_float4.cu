// Layer normalisation over float4 loads, and its gamma and beta gradients in 32 x 32 tiles of cooperative groups.
#include <cooperative_groups.h>
#include <math.h>

#include <vector>

#include "block_reduce.cuh"
#include "check.cuh"

namespace cg = cooperative_groups;

#define TILE_DIM 32

__global__ void ker_layer_norm(float* out, float* vars, float* means, const float* inp,
                               const float* scale, const float* bias, int hidden_size) {
  float l_sum = 0, l_square = 0;
  const float4* inp_f4 = reinterpret_cast<const float4*>(inp) + blockIdx.x * hidden_size;
  for (int idx = threadIdx.x; idx < hidden_size; idx += blockDim.x) {
    const float4 val = inp_f4[idx];
    l_sum += val.x + val.y + val.z + val.w;
    l_square += val.x * val.x + val.y * val.y + val.z * val.z + val.w * val.w;
  }
  const float count = 4.0f * hidden_size;
  const float mean = block_reduce<ReduceType::kSum>(l_sum) / count;
  const float variance = block_reduce<ReduceType::kSum>(l_square) / count - mean * mean + 1e-8f;
  if (threadIdx.x == 0) {
    means[blockIdx.x] = mean;
    vars[blockIdx.x] = variance;
  }
  const float inverse = rsqrtf(variance);
  float4* out_f4 = reinterpret_cast<float4*>(out) + blockIdx.x * hidden_size;
  for (int idx = threadIdx.x; idx < hidden_size; idx += blockDim.x) {
    const float4 s = __ldg((const float4*)scale + idx), b = __ldg((const float4*)bias + idx);
    float4 val = inp_f4[idx];
    val.x = (val.x - mean) * inverse * s.x + b.x;
    val.y = (val.y - mean) * inverse * s.y + b.y;
    val.z = (val.z - mean) * inverse * s.z + b.z;
    val.w = (val.w - mean) * inverse * s.w + b.w;
    out_f4[idx] = val;
  }
}

__global__ void ker_ln_bw_dgamma_dbetta(float* gamma_grad, float* betta_grad, const float* out_grad,
                                        const float* inp, const float* vars, const float* means,
                                        int rows, int width) {
  __shared__ float betta_buffer[TILE_DIM][TILE_DIM];
  __shared__ float gamma_buffer[TILE_DIM][TILE_DIM];
  cg::thread_block b = cg::this_thread_block();
  cg::thread_block_tile<TILE_DIM> g = cg::tiled_partition<TILE_DIM>(b);

  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float betta = 0, gamma = 0;
  if (column < width) {
    for (int row = threadIdx.y; row < rows; row += blockDim.y) {
      const float dout = out_grad[row * width + column];
      betta += dout;
      gamma += dout * (inp[row * width + column] - means[row]) * rsqrtf(vars[row]);
    }
  }
  betta_buffer[threadIdx.x][threadIdx.y] = betta;
  gamma_buffer[threadIdx.x][threadIdx.y] = gamma;
  b.sync();
  float betta_sum = betta_buffer[threadIdx.y][threadIdx.x];
  float gamma_sum = gamma_buffer[threadIdx.y][threadIdx.x];
  for (int i = g.size() / 2; i > 0; i /= 2) {
    betta_sum += g.shfl_down(betta_sum, i);
    gamma_sum += g.shfl_down(gamma_sum, i);
  }
  const int own = blockIdx.x * blockDim.x + threadIdx.y;
  if (g.thread_rank() == 0 && own < width) {
    betta_grad[own] = betta_sum;
    gamma_grad[own] = gamma_sum;
  }
}

int main() {
  const int rows = 37, width = 200;
  Noise noise(3);
  std::vector<float> x(rows * width), grad(rows * width), scale(width), bias(width), y(rows * width);
  std::vector<float> vars(rows), means(rows), dgamma(width), dbetta(width);
  for (float& v : x) v = noise.next() + 0.3f;
  for (float& v : grad) v = noise.next();
  for (float& v : scale) v = noise.next();
  for (float& v : bias) v = noise.next();

  float *d_x, *d_grad, *d_scale, *d_bias, *d_y, *d_vars, *d_means, *d_dgamma, *d_dbetta;
  const size_t bytes = x.size() * sizeof(float), row_bytes = rows * sizeof(float),
               width_bytes = width * sizeof(float);
  CHECK_CUDA(cudaMalloc(&d_x, bytes));
  CHECK_CUDA(cudaMalloc(&d_grad, bytes));
  CHECK_CUDA(cudaMalloc(&d_y, bytes));
  CHECK_CUDA(cudaMalloc(&d_vars, row_bytes));
  CHECK_CUDA(cudaMalloc(&d_means, row_bytes));
  CHECK_CUDA(cudaMalloc(&d_scale, width_bytes));
  CHECK_CUDA(cudaMalloc(&d_bias, width_bytes));
  CHECK_CUDA(cudaMalloc(&d_dgamma, width_bytes));
  CHECK_CUDA(cudaMalloc(&d_dbetta, width_bytes));
  CHECK_CUDA(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_grad, grad.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_scale, scale.data(), width_bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(d_bias, bias.data(), width_bytes, cudaMemcpyHostToDevice));

  const int threads = min(((width / 4 + 31) / 32) * 32, 1024);
  ker_layer_norm<<<rows, threads>>>(d_y, d_vars, d_means, d_x, d_scale, d_bias, width / 4);
  ker_ln_bw_dgamma_dbetta<<<(width + TILE_DIM - 1) / TILE_DIM, dim3(TILE_DIM, TILE_DIM)>>>(
      d_dgamma, d_dbetta, d_grad, d_x, d_vars, d_means, rows, width);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(y.data(), d_y, bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(dgamma.data(), d_dgamma, width_bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(dbetta.data(), d_dbetta, width_bytes, cudaMemcpyDeviceToHost));

  int wrong = 0;
  std::vector<double> want_gamma(width, 0), want_betta(width, 0);
  for (int r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int c = 0; c < width; ++c) mean += x[r * width + c] / width;
    for (int c = 0; c < width; ++c) variance += pow(x[r * width + c] - mean, 2) / width;
    for (int c = 0; c < width; ++c) {
      const double normal = (x[r * width + c] - mean) / sqrt(variance + 1e-8);
      wrong += differs(y[r * width + c], normal * scale[c] + bias[c], 1e-4);
      want_gamma[c] += grad[r * width + c] * normal;
      want_betta[c] += grad[r * width + c];
    }
  }
  for (int c = 0; c < width; ++c) {
    wrong += differs(dgamma[c], want_gamma[c], 1e-4) + differs(dbetta[c], want_betta[c], 1e-4);
  }
  free_all(d_x, d_grad, d_y, d_vars, d_means, d_scale, d_bias, d_dgamma, d_dbetta);
  return verdict(wrong);
}
