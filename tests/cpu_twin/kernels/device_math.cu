// The math functions that kernels use most, float and double, by their C and std:: names, against the host's.
#include <cmath>
#include <vector>

#include "check.cuh"

// clang-format off
#define FUNCTIONS(X)                                                                                    \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(cbrt) X(sin) X(cos) X(tan) X(asin) \
  X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(erf) X(erfc) X(tgamma) X(lgamma) X(floor) X(ceil) X(trunc)  \
  X(round) X(rint) X(fabs)

enum { function_count = 0
#define X(name) +1
  FUNCTIONS(X)
#undef X
};
// clang-format on

template <class T> __host__ __device__ void evaluate(T x, T* out) {
  int i = 0;
#define X(name) out[i++] = std::name(x);
  FUNCTIONS(X)
#undef X
}

template <class T> __global__ void all(const T* x, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) evaluate(x[i], out + i * function_count);
}

__global__ void two(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* o = out + 10 * i;
  const float a = x[i], b = 1.0f - 0.5f * a;
  o[0] = powf(a, b);
  o[1] = atan2f(a, b);
  o[2] = fmodf(10 * a, b);
  o[3] = hypotf(a, b);
  o[4] = fmaf(a, b, 1.0f);
  o[5] = fmaxf(a, b) - fminf(a, b);
  o[6] = rsqrtf(a);
  o[7] = ldexpf(a, 5) + copysignf(a, -b);
  o[8] = __expf(a) + __logf(a) + __sinf(a) + __cosf(a);
  float sine, cosine;
  sincosf(a, &sine, &cosine);
  o[9] = sine * cosine + __fdividef(a, b + 2) + (float)__float2int_rn(7 * a);
}

template <class T> int wrong_for(double tolerance) {
  const int n = 256;
  std::vector<T> x(n), got(n * function_count);
  for (int i = 0; i < n; ++i) x[i] = T(0.003) + T(i) / n;
  T *d_x, *d_out;
  CHECK_CUDA(cudaMalloc(&d_x, n * sizeof(T)));
  CHECK_CUDA(cudaMalloc(&d_out, got.size() * sizeof(T)));
  CHECK_CUDA(cudaMemcpy(d_x, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  all<<<2, 128>>>(d_x, d_out, n);
  CHECK_CUDA(cudaMemcpy(got.data(), d_out, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    double wanted[function_count];
    evaluate<double>(x[i], wanted);
    for (int f = 0; f < function_count; ++f) {
      const T g = got[i * function_count + f];
      if (!(std::isnan(g) && std::isnan(wanted[f]))) wrong += differs(g, wanted[f], tolerance);
    }
  }
  free_all(d_x, d_out);
  return wrong;
}

int main() {
  int wrong = wrong_for<float>(1e-5) + wrong_for<double>(1e-13);
  const int n = 64;
  std::vector<float> x(n), got(10 * n);
  for (int i = 0; i < n; ++i) x[i] = 0.01f + 0.025f * i;
  float *d_x, *d_out;
  CHECK_CUDA(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc(&d_out, got.size() * sizeof(float)));
  CHECK_CUDA(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  two<<<1, n>>>(d_x, d_out, n);
  CHECK_CUDA(cudaMemcpy(got.data(), d_out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const double a = x[i], b = 1.0f - 0.5f * x[i];
    const double wanted[10] = {std::pow(a, b),
                               std::atan2(a, b),
                               std::fmod(10 * x[i], (float)b),
                               std::hypot(a, b),
                               a * b + 1,
                               std::fmax(a, b) - std::fmin(a, b),
                               1 / std::sqrt(a),
                               32 * a + std::copysign(a, -b),
                               std::exp(a) + std::log(a) + std::sin(a) + std::cos(a),
                               std::sin(a) * std::cos(a) + a / (b + 2) + std::nearbyint(7 * x[i])};
    for (int f = 0; f < 10; ++f) wrong += differs(got[10 * i + f], wanted[f], 2e-5);
  }
  free_all(d_x, d_out);
  return verdict(wrong);
}
