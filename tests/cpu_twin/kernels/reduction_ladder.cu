// The ladder of reductions that courses climb, each over dynamic shared memory: interleaved, sequential, two loads,
// unrolled by a template on block size with a warp-synchronous end, and shuffles.
#include "check.cuh"

#include <vector>

__global__ void reduce_interleaved(const int* in, int* out, unsigned int n) {
  extern __shared__ int sdata[];
  const unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

__global__ void reduce_sequential(const int* in, int* out, unsigned int n) {
  extern __shared__ int sdata[];
  const unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

template <unsigned int blockSize> __device__ void warpReduce(volatile int* sdata, unsigned int tid) {
  int x = sdata[tid];
  if (blockSize >= 64) {
    x += sdata[tid + 32];
    __syncwarp();
    sdata[tid] = x;
    __syncwarp();
  }
  if (blockSize >= 32) {
    x += sdata[tid + 16];
    __syncwarp();
    sdata[tid] = x;
    __syncwarp();
  }
  x += sdata[tid + 8];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 4];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 2];
  __syncwarp();
  sdata[tid] = x;
  __syncwarp();
  x += sdata[tid + 1];
  __syncwarp();
  sdata[tid] = x;
}

template <unsigned int blockSize>
__global__ void reduce_unrolled(const int* in, int* out, unsigned int n) {
  extern __shared__ int sdata[];
  const unsigned int tid = threadIdx.x;
  int sum = 0;
  for (unsigned int i = blockIdx.x * blockSize * 2 + tid; i < n; i += blockSize * 2 * gridDim.x) {
    sum += in[i];
    if (i + blockSize < n) sum += in[i + blockSize];
  }
  sdata[tid] = sum;
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256) sdata[tid] += sdata[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) warpReduce<blockSize>(sdata, tid);
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

__global__ void reduce_shuffled(const int* in, int* out, unsigned int n) {
  int sum = 0;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, sum);
}

static int total(const int* d_out, int blocks) {
  std::vector<int> part(blocks);
  CHECK_CUDA(cudaMemcpy(part.data(), d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  int sum = 0;
  for (int p : part) sum += p;
  return sum;
}

int main() {
  const int n = 20001, threads = 256, blocks = (n + threads - 1) / threads;
  std::vector<int> h(n);
  int wanted = 0;
  for (int i = 0; i < n; ++i) wanted += h[i] = (i * 37) % 101 - 50;
  int *d_in, *d_out;
  CHECK_CUDA(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&d_out, blocks * sizeof(int)));
  CHECK_CUDA(cudaMemcpy(d_in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  const size_t shared = threads * sizeof(int);
  int wrong = 0;
  reduce_interleaved<<<blocks, threads, shared>>>(d_in, d_out, n);
  wrong += total(d_out, blocks) != wanted;
  reduce_sequential<<<blocks, threads, shared>>>(d_in, d_out, n);
  wrong += total(d_out, blocks) != wanted;
  reduce_unrolled<threads><<<16, threads, shared>>>(d_in, d_out, n);
  wrong += total(d_out, 16) != wanted;
  reduce_unrolled<64><<<8, 64, 64 * sizeof(int)>>>(d_in, d_out, n);
  wrong += total(d_out, 8) != wanted;
  CHECK_CUDA(cudaMemset(d_out, 0, sizeof(int)));
  reduce_shuffled<<<7, threads>>>(d_in, d_out, n);
  wrong += total(d_out, 1) != wanted;
  free_all(d_in, d_out);
  return verdict(wrong);
}
