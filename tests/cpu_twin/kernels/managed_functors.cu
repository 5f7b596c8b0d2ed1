// Managed memory and variables, functors as kernel arguments, structs by value, and double precision.
#include "check.cuh"

__managed__ int launches = 0;
__managed__ double sums[2] = {0.0, 100.0};

struct Affine {
  double slope, offset;
  __host__ __device__ double operator()(double x) const { return slope * x + offset; }
};
struct Clamp {
  double low, high;
  __host__ __device__ double operator()(double x) const { return fmin(fmax(x, low), high); }
};
template <class F, class G> struct Compose {
  F f;
  G g;
  __host__ __device__ double operator()(double x) const { return f(g(x)); }
};
struct View {
  double* data;
  int size;
  int strides[3];
};

template <class Function> __global__ void transform(View view, Function f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < view.size; i += blockDim.x * gridDim.x) {
    double& x = view.data[i * view.strides[2]];
    x = f(x);
    atomicAdd(&sums[i % 2], x);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) ++launches;
}

int main() {
  const int n = 500;
  View view = {nullptr, n, {0, 0, 2}};
  CHECK_CUDA(cudaMallocManaged(&view.data, 2 * n * sizeof(double)));
  for (int i = 0; i < 2 * n; ++i) view.data[i] = i * 0.01;
  const Compose<Clamp, Affine> function = {{-1.5, 4.25}, {1.25, -3.0}};
  transform<<<3, 64>>>(view, function);
  CHECK_CUDA(cudaDeviceSynchronize());
  int wrong = launches != 1;
  double want[2] = {0, 100};
  for (int i = 0; i < n; ++i) {
    const double wanted = function(2 * i * 0.01);
    want[i % 2] += wanted;
    wrong += differs(view.data[2 * i], wanted, 1e-14) + (view.data[2 * i + 1] != (2 * i + 1) * 0.01);
  }
  launches += 10;  // the host writes what the device reads next
  transform<<<1, 32>>>(view, function);
  CHECK_CUDA(cudaDeviceSynchronize());
  wrong += launches != 12;
  for (int i = 0; i < n; ++i) want[i % 2] += view.data[2 * i];
  wrong += differs(sums[0], want[0], 1e-12) + differs(sums[1], want[1], 1e-12);
  CHECK_CUDA(cudaFree(view.data));
  return verdict(wrong);
}
