// Kernels on the twin beside plain loops over the same data, in one run, on as many cores as it is given:
//   taskset -c 0 torchlight twin run tools/bench/twin_speed.cu
//   taskset -c 0 torchlight twin run tools/bench/twin_speed.cu --check -- small
// The least of seven runs each, in processor time, which other work on the machine falsifies less.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

constexpr int tile = 16;

__global__ void softmax(float* out, const float* in, int cols) {
  extern __shared__ float of_warp[];
  const float* x = in + (size_t)blockIdx.x * cols;
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32;

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) largest = fmaxf(largest, x[i]);
  for (int lanes = 16; lanes > 0; lanes /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
  if (threadIdx.x % 32 == 0) of_warp[warp] = largest;
  __syncthreads();
  for (int i = 0; i < warps; ++i) largest = fmaxf(largest, of_warp[i]);
  __syncthreads();

  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += expf(x[i] - largest);
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) of_warp[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < warps; ++i) sum += of_warp[i];

  float* y = out + (size_t)blockIdx.x * cols;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] = expf(x[i] - largest) / sum;
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float left[tile][tile], right[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void map(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * 2.0f + 1.0f;
}

__global__ void map_transposed(const float* x, float* y, int side) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x)
    y[i] = x[i % side * side + i / side] * 2.0f + 1.0f;
}

void plain_softmax(const float* in, float* out, int rows, int cols) {
  for (int r = 0; r < rows; ++r, in += cols, out += cols) {
    float largest = in[0], sum = 0;
    for (int i = 0; i < cols; ++i) largest = std::max(largest, in[i]);
    for (int i = 0; i < cols; ++i) sum += out[i] = expf(in[i] - largest);
    for (int i = 0; i < cols; ++i) out[i] /= sum;
  }
}

void plain_matmul(const float* a, const float* b, float* c, int n) {
  std::fill(c, c + n * n, 0.0f);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void plain_map(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] * 2.0f + 1.0f;
}

void plain_map_transposed(const float* x, float* y, int side) {
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) y[r * side + c] = x[c * side + r] * 2.0f + 1.0f;
}

double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Run> double seconds(Run run) {
  double least = 1e9;
  for (int i = 0; i < 7; ++i) {
    const double begin = now();
    run();
    least = std::min(least, now() - begin);
  }
  return least;
}

void show(const char* name, double twin, double plain) {
  std::printf("%-15s twin %9.3f ms, plain %7.3f ms: %.2f times\n", name, twin * 1e3, plain * 1e3,
              twin / plain);
}

int main(int argc, char**) {
  const bool small = argc > 1;
  const int n = small ? 1 << 18 : 1 << 20, cols = 1024, rows = n / cols, cube = small ? 128 : 256,
            side = small ? 512 : 1024;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = std::sin(i * 0.1f);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  const dim3 tiles(cube / tile, cube / tile), threads(tile, tile);
  show("softmax", seconds([&] { softmax<<<rows, 256, 32>>>(b, a, cols); }),
       seconds([&] { plain_softmax(x.data(), y.data(), rows, cols); }));
  show("matmul", seconds([&] { matmul<<<tiles, threads>>>(a, a, b, cube); }),
       seconds([&] { plain_matmul(x.data(), x.data(), y.data(), cube); }));
  show("map", seconds([&] { map<<<256, 256>>>(a, b, n); }),
       seconds([&] { plain_map(x.data(), y.data(), n); }));
  show("map transposed", seconds([&] { map_transposed<<<256, 256>>>(a, b, side); }),
       seconds([&] { plain_map_transposed(x.data(), y.data(), side); }));

  const int launches = small ? 10 : 1000;
  const double all = seconds([&] {
    for (int i = 0; i < launches; ++i) map<<<1, 256>>>(a, b, 0);
  });
  std::printf("a launch of 256 threads that do nothing: %.2f us\n", all / launches * 1e6);
  cudaFree(a);
  cudaFree(b);
}
