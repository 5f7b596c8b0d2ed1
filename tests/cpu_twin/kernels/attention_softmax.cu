// Softmax over attention scores with a mask, as a launcher that takes host pointers: cub loads and stores, block
// reductions of a header, templates on block size and items a thread.
#include <math.h>

#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <stdexcept>
#include <string>
#include <vector>

#include "block_reduce.cuh"
#include "check.cuh"

const float EPSILON = 1e-8f;

template <typename T, int block_dim, int ele_per_thread>
__global__ void ker_attn_softmax(T* inp, const T* attn_mask, int from_len, int to_len,
                                 bool mask_future) {
  const int batch_id = blockIdx.y;
  const int head_id = blockIdx.z;
  const int nhead = gridDim.z;
  typedef cub::BlockLoad<T, block_dim, ele_per_thread, cub::BLOCK_LOAD_VECTORIZE> BlockLoad;
  typedef cub::BlockStore<T, block_dim, ele_per_thread, cub::BLOCK_STORE_VECTORIZE> BlockStore;
  __shared__ typename BlockLoad::TempStorage ts_load;
  __shared__ typename BlockStore::TempStorage ts_store;

  T mask[ele_per_thread];
  if (attn_mask) {
    attn_mask += batch_id * to_len;
    BlockLoad(ts_load).Load(attn_mask, mask, to_len, EPSILON);
  }
  inp += (batch_id * nhead + head_id) * from_len * to_len;
  for (int token = blockIdx.x; token < from_len; token += gridDim.x) {
    T values[ele_per_thread];
    __syncthreads();
    BlockLoad(ts_load).Load(inp + token * to_len, values, to_len, -1e8f);
    float maximum = -1e8f;
    for (int i = 0; i < ele_per_thread; i++) {
      if (attn_mask) values[i] = values[i] + mask[i];
      if (mask_future && ele_per_thread * (int)threadIdx.x + i > token) values[i] = -1e8f;
      maximum = fmaxf(maximum, values[i]);
    }
    maximum = block_reduce<ReduceType::kMax>(maximum);
    float sum = 0;
    for (int i = 0; i < ele_per_thread; i++) {
      const int column = ele_per_thread * threadIdx.x + i;
      values[i] = column < to_len ? __expf(values[i] - maximum) : 0.0f;
      sum += values[i];
    }
    sum = block_reduce<ReduceType::kSum>(sum);
    for (int i = 0; i < ele_per_thread; i++) values[i] /= sum + EPSILON;
    BlockStore(ts_store).Store(inp + token * to_len, values, to_len);
  }
}

extern "C" void launch_attn_softmax(float* inp, const float* attn_mask, int batch, int nhead,
                                    int from_len, int to_len, bool mask_future, cudaStream_t stream) {
  float *d_inp, *d_mask;
  const size_t bytes = sizeof(float) * batch * nhead * from_len * to_len;
  CHECK_CUDA(cudaMalloc((void**)&d_inp, bytes));
  CHECK_CUDA(cudaMalloc((void**)&d_mask, sizeof(float) * batch * to_len));
  CHECK_CUDA(cudaMemcpyAsync(d_inp, inp, bytes, cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaMemcpyAsync(d_mask, attn_mask, sizeof(float) * batch * to_len, cudaMemcpyHostToDevice,
                             stream));

  dim3 grid_dim(1, batch, nhead);
  if (to_len <= 32) {
    ker_attn_softmax<float, 32, 1>
        <<<grid_dim, 32, 0, stream>>>(d_inp, d_mask, from_len, to_len, mask_future);
  } else if (to_len <= 128) {
    grid_dim.x = 16;
    ker_attn_softmax<float, 32, 4>
        <<<grid_dim, 32, 0, stream>>>(d_inp, d_mask, from_len, to_len, mask_future);
  } else if (to_len <= 512) {
    grid_dim.x = 8;
    ker_attn_softmax<float, 128, 4>
        <<<grid_dim, 128, 0, stream>>>(d_inp, d_mask, from_len, to_len, mask_future);
  } else if (to_len <= 1024) {
    ker_attn_softmax<float, 256, 4>
        <<<grid_dim, 256, 0, stream>>>(d_inp, d_mask, from_len, to_len, mask_future);
  } else {
    throw std::runtime_error("Sequence length greater than 1024 is currently not supported: " +
                             std::to_string(to_len));
  }
  CHECK_CUDA(cudaMemcpyAsync(inp, d_inp, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaFree(d_inp));
  CHECK_CUDA(cudaFree(d_mask));
}

static int wrong_for(int batch, int nhead, int from_len, int to_len, bool mask_future) {
  Noise noise(7);
  std::vector<float> scores(batch * nhead * from_len * to_len), mask(batch * to_len);
  for (float& x : scores) x = 5 * noise.next();
  for (float& x : mask) x = noise.next() > 0.8f ? -1e8f : 0.0f;
  std::vector<float> got = scores;
  launch_attn_softmax(got.data(), mask.data(), batch, nhead, from_len, to_len, mask_future, 0);
  int wrong = 0;
  for (int row = 0; row < batch * nhead * from_len; ++row) {
    const float* in = &scores[row * to_len];
    const float* m = &mask[row / (nhead * from_len) * to_len];
    std::vector<double> e(to_len);
    double largest = -1e8, sum = 0;
    for (int j = 0; j < to_len; ++j) {
      e[j] = mask_future && j > row % from_len ? -1e8f : in[j] + m[j];
      largest = std::max(largest, e[j]);
    }
    for (double& x : e) sum += x = exp(x - largest);
    for (int j = 0; j < to_len; ++j) wrong += differs(got[row * to_len + j], e[j] / sum, 1e-5);
  }
  return wrong;
}

int main() {
  int wrong =
      wrong_for(2, 2, 5, 17, false) + wrong_for(1, 3, 70, 70, true) + wrong_for(2, 1, 3, 300, false);
  wrong += wrong_for(1, 1, 4, 1000, true);
  return verdict(wrong);
}
