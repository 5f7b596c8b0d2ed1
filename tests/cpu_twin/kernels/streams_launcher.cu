// An extern "C" launcher that cuts its work over streams: pinned memory, asynchronous copies, events that order and
// time, and several launches each.
// reports: launch of scale_kernel(float*, float, int): a block of 4096 x 1 x 1 threads
#include "check.cuh"

#include <cmath>
#include <vector>

__global__ void scale_kernel(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void add_sine_kernel(float* x, const float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] += sinf(y[i]);
}

extern "C" float launch_scaled_sines(float* inout, const float* y, int n, int parts) {
  float *pinned, *d_x, *d_y, milliseconds = -1;
  CHECK_CUDA(cudaMallocHost((void**)&pinned, n * sizeof(float)));
  for (int i = 0; i < n; ++i) pinned[i] = inout[i];
  CHECK_CUDA(cudaMalloc((void**)&d_x, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc((void**)&d_y, n * sizeof(float)));
  cudaEvent_t start, stop, y_ready;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&stop));
  CHECK_CUDA(cudaEventCreateWithFlags(&y_ready, cudaEventDisableTiming));
  std::vector<cudaStream_t> streams(parts);
  for (cudaStream_t& s : streams) CHECK_CUDA(cudaStreamCreate(&s));

  CHECK_CUDA(cudaEventRecord(start));
  CHECK_CUDA(cudaMemcpyAsync(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice, streams[0]));
  CHECK_CUDA(cudaEventRecord(y_ready, streams[0]));
  const int chunk = (n + parts - 1) / parts;
  for (int p = 0; p < parts; ++p) {
    const int first = p * chunk, count = min(chunk, n - first);
    CHECK_CUDA(cudaMemcpyAsync(d_x + first, pinned + first, count * sizeof(float),
                               cudaMemcpyHostToDevice, streams[p]));
    scale_kernel<<<(count + 127) / 128, 128, 0, streams[p]>>>(d_x + first, 2.0f, count);
    CHECK_CUDA(cudaStreamWaitEvent(streams[p], y_ready, 0));
    add_sine_kernel<<<3, 64, 0, streams[p]>>>(d_x + first, d_y + first, count);
    scale_kernel<<<(count + 127) / 128, 128, 0, streams[p]>>>(d_x + first, 0.5f, count);
    CHECK_CUDA(cudaMemcpyAsync(pinned + first, d_x + first, count * sizeof(float),
                               cudaMemcpyDeviceToHost, streams[p]));
  }
  for (cudaStream_t s : streams) CHECK_CUDA(cudaStreamSynchronize(s));
  CHECK_CUDA(cudaEventRecord(stop));
  CHECK_CUDA(cudaEventSynchronize(stop));
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
  for (int i = 0; i < n; ++i) inout[i] = pinned[i];
  for (cudaStream_t s : streams) CHECK_CUDA(cudaStreamDestroy(s));
  CHECK_CUDA(cudaEventDestroy(start));
  CHECK_CUDA(cudaEventDestroy(stop));
  CHECK_CUDA(cudaEventDestroy(y_ready));
  CHECK_CUDA(cudaFree(d_x));
  CHECK_CUDA(cudaFree(d_y));
  CHECK_CUDA(cudaFreeHost(pinned));
  return milliseconds;
}

int main() {
  const int n = 5000;
  Noise noise(1);
  std::vector<float> x(n), y(n);
  for (float& v : x) v = noise.next();
  for (float& v : y) v = 30 * noise.next();
  std::vector<float> got = x;
  const float milliseconds = launch_scaled_sines(got.data(), y.data(), n, 4);
  int wrong = milliseconds < 0;
  for (int i = 0; i < n; ++i) wrong += differs(got[i], x[i] + 0.5 * std::sin((double)y[i]), 1e-5);

  int devices = 0, blocks = 0, grid = 0, block = 0;
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_kernel, 128, 0));
  CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale_kernel, 0, 0));
  wrong += devices < 1 || properties.warpSize != 32 || properties.maxThreadsPerBlock < 1024 ||
           blocks < 1 || block < 32;
  scale_kernel<<<1, 4096>>>(nullptr, 1.0f, 0);  // more threads than a block may have
  wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
  wrong += cudaGetLastError() != cudaSuccess;
  return verdict(wrong);
}
