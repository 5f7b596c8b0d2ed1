// Transposition through a padded tile, of several element types and of pitched memory.
#include "check.cuh"

#include <vector>

template <typename T, int TILE, int ROWS>
__global__ void transpose(T* __restrict__ out, const T* __restrict__ in, int width, int height,
                          size_t in_pitch) {
  __shared__ T tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    const T* row = reinterpret_cast<const T*>(reinterpret_cast<const char*>(in) + (y + j) * in_pitch);
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = row[x];
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

template <typename T> int wrong_for(int width, int height) {
  std::vector<T> in(width * height), out(width * height);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * 31 % 251);
  T *d_in, *d_out;
  size_t pitch;
  CHECK_CUDA(cudaMallocPitch(&d_in, &pitch, width * sizeof(T), height));
  CHECK_CUDA(cudaMalloc(&d_out, out.size() * sizeof(T)));
  CHECK_CUDA(cudaMemcpy2D(d_in, pitch, in.data(), width * sizeof(T), width * sizeof(T), height,
                          cudaMemcpyHostToDevice));
  const dim3 block(32, 8), grid((width + 31) / 32, (height + 31) / 32);
  transpose<T, 32, 8><<<grid, block>>>(d_out, d_in, width, height, pitch);
  CHECK_CUDA(cudaMemcpy(out.data(), d_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(d_in));
  CHECK_CUDA(cudaFree(d_out));
  int wrong = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) wrong += out[x * height + y] != in[y * width + x];
  }
  return wrong;
}

int main() {
  return verdict(wrong_for<float>(100, 67) + wrong_for<double>(33, 64) +
                 wrong_for<unsigned char>(65, 40) + wrong_for<short>(32, 32) +
                 wrong_for<long long>(5, 90));
}
