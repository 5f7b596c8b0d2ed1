#include <numbers>

#include "failure.h"
#include "kernels.h"

namespace remote {
namespace {

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

double real(std::uint32_t fn, double x, double a, double b) {
  switch (fn) {
    case TL_MAP_neg: return -x;
    case TL_MAP_abs: return std::abs(x);
    case TL_MAP_sign: return std::isnan(x) ? x : double(x > 0) - double(x < 0);
    case TL_MAP_square: return x * x;
    case TL_MAP_reciprocal: return 1 / x;
    case TL_MAP_sqrt: return std::sqrt(x);
    case TL_MAP_rsqrt: return 1 / std::sqrt(x);
    case TL_MAP_floor: return std::floor(x);
    case TL_MAP_ceil: return std::ceil(x);
    case TL_MAP_round: return std::nearbyint(x);
    case TL_MAP_exp: return std::exp(x);
    case TL_MAP_log: return std::log(x);
    case TL_MAP_sin: return std::sin(x);
    case TL_MAP_cos: return std::cos(x);
    case TL_MAP_erf: return std::erf(x);
    case TL_MAP_tanh: return std::tanh(x);
    case TL_MAP_sigmoid: return sigmoid(x);
    case TL_MAP_relu: return x < 0 ? 0 : x;
    case TL_MAP_gelu:
      // In the tail erfc makes much of a rounding of its argument.
      return std::isinf(x)
                 ? std::max(x, 0.0)
                 : static_cast<double>(x / 2 * std::erfc(-x / std::numbers::sqrt2_v<long double>));
    case TL_MAP_silu: return std::isinf(x) ? std::max(x, 0.0) : x * sigmoid(x);
    case TL_MAP_leaky_relu: return x > 0 ? x : a * x;
    case TL_MAP_clamp: return std::isnan(x) ? x : std::min(std::max(x, a), b);
    case TL_MAP_add_scalar: return x + a;
    case TL_MAP_rsub_scalar: return a - x;
    case TL_MAP_mul_scalar: return x * a;
    case TL_MAP_div_scalar: return x / a;
    case TL_MAP_rdiv_scalar: return a / x;
    case TL_MAP_pow_scalar: return std::pow(x, a);
    default: throw Failure(TL_E_INTERNAL, "a map function without a body");
  }
}

std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  std::uint64_t result = 1;
  for (auto square = static_cast<std::uint64_t>(base); exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return wrap(result);
}

std::int64_t integer(std::uint32_t fn, std::int64_t x, std::int64_t a, std::int64_t b) {
  const auto ux = static_cast<std::uint64_t>(x), ua = static_cast<std::uint64_t>(a);
  switch (fn) {
    case TL_MAP_neg: return wrap(-ux);
    case TL_MAP_abs: return x < 0 ? wrap(-ux) : x;
    case TL_MAP_sign: return (x > 0) - (x < 0);
    case TL_MAP_square: return wrap(ux * ux);
    case TL_MAP_relu: return std::max<std::int64_t>(x, 0);
    case TL_MAP_clamp: return std::min(std::max(x, a), b);
    case TL_MAP_add_scalar: return wrap(ux + ua);
    case TL_MAP_rsub_scalar: return wrap(ua - ux);
    case TL_MAP_mul_scalar: return wrap(ux * ua);
    case TL_MAP_pow_scalar: return power(x, a);
    default: throw Failure(TL_E_INTERNAL, "a map function without a body");
  }
}

template <class T> bool predicate(std::uint32_t fn, T x, T a) {
  const auto real_x = static_cast<double>(x);
  switch (fn) {
    case TL_MAP_eq_scalar: return x == a;
    case TL_MAP_ne_scalar: return x != a;
    case TL_MAP_lt_scalar: return x < a;
    case TL_MAP_le_scalar: return x <= a;
    case TL_MAP_gt_scalar: return x > a;
    case TL_MAP_ge_scalar: return x >= a;
    case TL_MAP_isnan: return std::isnan(real_x);
    case TL_MAP_isinf: return std::isinf(real_x);
    case TL_MAP_isfinite: return std::isfinite(real_x);
    case TL_MAP_logical_not: return x == T(0);
    default: throw Failure(TL_E_INTERNAL, "a map function without a body");
  }
}

template <class F> void for_each_pair(const Operand& input, const Operand& output, F&& f) {
  const char* in = input.data();
  char* out = output.data();
  for_each_index(output.rank, output.extent,
                 [&](const Index& i) { f(in + offset_of(input, i), out + offset_of(output, i)); });
}

void copy(const Operand& input, const Operand& output) {
  with_type(input.kind, [&]<class From>(From) {
    with_type(output.kind, [&]<class To>(To) {
      for_each_pair(input, output,
                    [](const char* x, char* y) { store(y, convert<To>(load<From>(x))); });
    });
  });
}

void create(std::uint32_t fn, const Operand& output, const double* p) {
  char* out = output.data();
  std::int64_t position = 0;
  for_each_index(output.rank, output.extent, [&](const Index& i) {
    double value = p[0];
    std::int64_t whole = convert<std::int64_t>(p[0]);
    if (fn == TL_MAP_arange) {
      value += static_cast<double>(position) * p[1];
      whole = wrap(static_cast<std::uint64_t>(whole) +
                   static_cast<std::uint64_t>(position) *
                       static_cast<std::uint64_t>(convert<std::int64_t>(p[1])));
    } else if (fn == TL_MAP_eye) {
      value = i[output.rank - 1] == i[output.rank - 2] + whole;
      whole = value != 0;
    }
    ++position;
    with_type(output.kind, [&]<class T>(T) {
      store(out + offset_of(output, i),
            std::is_same_v<T, std::int64_t> ? convert<T>(whole) : convert<T>(value));
    });
  });
}

bool is_predicate(std::uint32_t fn) { return fn >= TL_MAP_eq_scalar && fn <= TL_MAP_logical_not; }

}  // namespace

void run_map(std::uint32_t fn, const Operand* input, const Operand& output, const double* p) {
  if (!input) return create(fn, output, p);
  if (fn == TL_MAP_copy) return copy(*input, output);
  with_type(input->kind, [&]<class T>(T) {
    const T a = convert<T>(p[0]), b = convert<T>(p[1]);
    for_each_pair(*input, output, [&](const char* x, char* y) {
      if (is_predicate(fn))
        store(y, predicate(fn, load<T>(x), a));
      else if constexpr (std::is_floating_point_v<T>)
        store(y, static_cast<T>(real(fn, load<T>(x), a, b)));
      else if constexpr (std::is_same_v<T, std::int64_t>)
        store(y, integer(fn, load<T>(x), a, b));
    });
  });
}

}  // namespace remote
