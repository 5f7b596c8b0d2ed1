// std:: and C math in device code, with the standard headers before and after. nvcc wants
// --expt-relaxed-constexpr for some of it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

template <class T> __host__ __device__ T both(T x) {
  return std::sqrt(std::abs(x)) + std::exp(-x) + pow(x, 2);
}

__global__ void std_math(float* f, double* d, int* n) {
  float x = f[0];
  double y = d[0];
  f[1] = std::sqrt(x) + std::exp(x) + std::log(x) + std::pow(x, 2.0f) + std::abs(x) + std::fabs(x) +
         std::fmax(x, 1.0f);
  f[2] = std::sin(x) + std::cos(x) + std::tan(x) + std::tanh(x) + std::atan2(x, 2.0f) + std::floor(x) +
         std::ceil(x);
  f[3] = std::max(x, 1.0f) + std::min(x, 2.0f) + std::round(x) + std::trunc(x) + std::fmod(x, 3.0f) +
         std::erf(x);
  f[4] = std::isnan(x) + std::isinf(x) + std::isfinite(x) + isnan(x) + isinf(x) + std::signbit(x) +
         isfinite(x);
  f[5] = std::numeric_limits<float>::max() + std::numeric_limits<float>::infinity() + INFINITY + NAN +
         HUGE_VALF;
  f[6] = both(x) + std::hypot(x, 2.0f) + std::cbrt(x) + std::log1p(x) + std::expm1(x) + std::log2(x) +
         std::exp2(x);
  f[7] = sqrt(x) + exp(x) + log(x) + pow(x, 2.0f) + abs(x) + fabs(x) + fmax(x, 1.0f) + fmin(x, 2.0f) +
         max(x, 2.0f);
  f[8] = sin(x) + cos(x) + tanh(x) + floor(x) + ceil(x) + round(x) + rsqrt(x) + fma(x, x, x) +
         sqrtf(x) + rintf(x);
  f[9] = std::fma(x, x, x) + std::copysign(x, -1.0f) + std::ldexp(x, 3) + std::lround(x) +
         std::rint(x) + std::modf(x, f);
  d[1] = both(y) + std::sqrt(y) + std::exp(y) + sqrt(y) + exp(y) + pow(y, 2) + pow(y, 2.5) +
         std::pow(y, 3) + fabs(y);
  d[2] = std::sqrt(n[0]) + sqrt(n[0]) + pow(x, n[0]) + pow(n[0], 2) + exp(n[0]) + log(n[0]) +
         std::log2(n[0]) + floor(n[0]);
  d[3] = max(1.0, y) + min(x, y) + fmax(x, y) + fmod(y, 2) + pow(2, x) + atan2(y, 1) + hypot(y, 1);
  n[1] = abs(n[0]) + std::abs(n[0]) + max(n[0], 3) + std::max(n[0], 4) + min(3u, 4u) + max(1ll, 2ll) +
         labs(3);
  int e;
  f[10] = frexpf(x, &e) + std::frexp(x, &e) + remquof(x, 2.0f, &e) + normf(3, f) + norm3df(x, x, x) +
          erfinvf(x);
  sincosf(x, f, f + 1);
  new (f + 11) float(3.0f);
  memcpy(n + 4, n, 8);
}

int main() {
  std::vector<float> v(3, both(2.0f));
  float s = std::accumulate(v.begin(), v.end(), 0.0f);
  std::sort(v.begin(), v.end());
  std::mt19937 g(1);
  return s > 0 && abs(-1.5f) == 1.5f && std::abs(-1.5) == 1.5 && isnan(s) == 0 && sqrt(4) == 2.0 ? 0
                                                                                                 : 1;
}
