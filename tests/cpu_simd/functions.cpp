#include "functions.h"

namespace cpu_simd_test {
namespace {

template <class T> T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }
template <class T> T gelu(T x) {
  const T root = T(0.707106781186547524400844362104849039L);
  return x < -100 ? T(0) : x * std::erfc(-x * root) / 2;
}
template <class T> T gelu_tanh(T x) {
  const T root = T(0.797884560802865355879892119868763737L);
  return x < -100 ? T(0) : x / (1 + std::exp(-2 * root * (x + T(0.044715L) * x * x * x)));
}
template <class T> T silu(T x) { return x < -20000 ? T(0) : x / (1 + std::exp(-x)); }
template <class T> T softplus(T x) { return x > 30 ? x : std::log1p(std::exp(x)); }
template <class T> T rsqrt(T x) { return 1 / std::sqrt(x); }
template <class T> T power(T x) { return std::pow(x, T(2.5)); }
template <class T> T cube(T x) { return std::pow(x, T(-3)); }
template <class T> T power_of_3(T x) { return std::pow(T(3), x); }
double reciprocal(double x) { return 1 / x; }
double square_root(double x) { return std::sqrt(x); }

/// float64's own result is the correctly rounded one, and long double's, rounded twice, isn't always.
template <double (*f)(double)> long double rounded_once(long double x) {
  return f(static_cast<double>(x));
}

/// float64's own gelu_tanh and gelu lose digits in the argument of the exponential.
double gelu_double(double x) { return static_cast<double>(gelu<long double>(x)); }
double gelu_tanh_double(double x) { return static_cast<double>(gelu_tanh<long double>(x)); }

#define CPU_SIMD_TEST_STD(fn) \
  [](double x) { return std::fn(x); }, [](long double x) { return std::fn(x); }

std::vector<Function> make_functions() {
  return {
      {"exp", TL_MAP_exp, {}, CPU_SIMD_TEST_STD(exp)},
      {"log", TL_MAP_log, {}, CPU_SIMD_TEST_STD(log)},
      {"sin", TL_MAP_sin, {}, CPU_SIMD_TEST_STD(sin)},
      {"cos", TL_MAP_cos, {}, CPU_SIMD_TEST_STD(cos)},
      {"erf", TL_MAP_erf, {}, CPU_SIMD_TEST_STD(erf)},
      {"tanh", TL_MAP_tanh, {}, CPU_SIMD_TEST_STD(tanh)},
      {"sigmoid", TL_MAP_sigmoid, {}, sigmoid<double>, sigmoid<long double>},
      {"gelu", TL_MAP_gelu, {}, gelu_double, gelu<long double>, 2, 1e-6, -3},
      {"gelu_tanh", TL_MAP_gelu_tanh, {}, gelu_tanh_double, gelu_tanh<long double>, 3, 1e-6, -3},
      {"silu", TL_MAP_silu, {}, silu<double>, silu<long double>, 3},
      {"softplus", TL_MAP_softplus, {1, 30}, softplus<double>, softplus<long double>, 2},
      {"sqrt", TL_MAP_sqrt, {}, square_root, rounded_once<square_root>, 0},
      {"rsqrt", TL_MAP_rsqrt, {}, rsqrt<double>, rsqrt<long double>, 1},
      {"reciprocal", TL_MAP_reciprocal, {}, reciprocal, rounded_once<reciprocal>, 0},
      {"floor", TL_MAP_floor, {}, CPU_SIMD_TEST_STD(floor), 0},
      {"ceil", TL_MAP_ceil, {}, CPU_SIMD_TEST_STD(ceil), 0},
      {"round", TL_MAP_round, {}, CPU_SIMD_TEST_STD(nearbyint), 0},
      {"pow 2.5", TL_MAP_pow_scalar, {2.5}, power<double>, power<long double>, 1},
      {"pow -3", TL_MAP_pow_scalar, {-3}, cube<double>, cube<long double>, 1},
      {"3 pow", TL_MAP_rpow_scalar, {3}, power_of_3<double>, power_of_3<long double>, 1},
  };
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> list = make_functions();
  return list;
}

}  // namespace cpu_simd_test
