#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

/// Functions that are exact or rounded once. `p`: the parameters in the dtype. False: not one of them.
template <class T> bool exact_map(std::uint32_t fn, T x, const T* p, T& y) {
  switch (fn) {
    case TL_MAP_neg: return y = std::is_integral_v<T> ? subtract(T(0), x) : T(-x), true;
    case TL_MAP_abs:
      return y = std::is_integral_v<T> ? (x < 0 ? subtract(T(0), x) : x) : T(std::fabs(x)), true;
    case TL_MAP_sign: return y = x != x ? x : T((x > 0) - (x < 0)), true;
    case TL_MAP_square: return y = multiply(x, x), true;
    case TL_MAP_relu: return y = x < 0 ? T(0) : x, true;
    case TL_MAP_clamp: return y = x != x ? x : minimum(maximum(x, p[0]), p[1]), true;
    case TL_MAP_add_scalar: return y = add(x, p[0]), true;
    case TL_MAP_rsub_scalar: return y = subtract(p[0], x), true;
    case TL_MAP_mul_scalar: return y = multiply(x, p[0]), true;
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (fn) {
      case TL_MAP_reciprocal: return y = 1 / x, true;
      case TL_MAP_sqrt: return y = std::sqrt(x), true;
      case TL_MAP_floor: return y = std::floor(x), true;
      case TL_MAP_ceil: return y = std::ceil(x), true;
      case TL_MAP_round: return y = std::nearbyint(x), true;
      case TL_MAP_leaky_relu: return y = x > 0 ? x : p[0] * x, true;
      case TL_MAP_div_scalar: return y = x / p[0], true;
      case TL_MAP_rdiv_scalar: return y = p[0] / x, true;
      default: break;
    }
  }
  return false;
}

template <class T> bool predicate(std::uint32_t fn, T x, const T* p, bool& y) {
  switch (fn) {
    case TL_MAP_eq_scalar: return y = x == p[0], true;
    case TL_MAP_ne_scalar: return y = x != p[0], true;
    case TL_MAP_lt_scalar: return y = x < p[0], true;
    case TL_MAP_le_scalar: return y = x <= p[0], true;
    case TL_MAP_gt_scalar: return y = x > p[0], true;
    case TL_MAP_ge_scalar: return y = x >= p[0], true;
    case TL_MAP_isnan: return y = x != x, true;
    case TL_MAP_isinf: return y = x == x && std::fabs(Real(x)) == infinity, true;
    case TL_MAP_isfinite: return y = x == x && std::fabs(Real(x)) != infinity, true;
    case TL_MAP_logical_not: return y = x == T(0), true;
    default: return false;
  }
}

/// x Phi(x). The error function's complement keeps the left tail exact.
Scalar gelu(Dtype dtype, Real x) {
  if (x == -infinity) return exactly(0);
  const Real value = x * std::erfc(-x / std::sqrt(Real(2))) / 2;
  Scalar result = within(2, dtype, value);
  if (x <= -3) result.tolerance += 1e-6L * std::fabs(value);
  return result;
}

/// x sigmoid(2u). An error in u of one unit grows by 2u (1 − sigmoid) on its way to the result.
Scalar gelu_tanh(Dtype dtype, Real x) {
  if (x == -infinity) return exactly(0);
  const Real two_u = 2 * std::sqrt(2 / std::acos(Real(-1))) * (x + 0.044715L * x * x * x);
  const Real s = sigmoid(two_u);
  Scalar result = within(4 + (s < 1 ? 4 * std::fabs(two_u) * (1 - s) : 0), dtype, x * s);
  result.tolerance += 2 * std::fabs(x) * smallest(dtype);  // sigmoid may be a denormal
  return result;
}

Scalar silu(Dtype dtype, Real x) {
  if (x == -infinity) return exactly(0);
  if (x == infinity) return exactly(infinity);
  Scalar result = within(4, dtype, x * sigmoid(x));
  result.tolerance += 2 * std::fabs(x) * smallest(dtype);
  return result;
}

/// The product a x is rounded before it decides and before exp sees it.
Scalar softplus(Dtype dtype, Real x, Real a, Real b) {
  const Real t = round_to(dtype, a * x);
  if (t > b) return exactly(x);
  const Real value = std::log1p(std::exp(t)) / a;
  return within(a == 1 ? 5 : 6 + std::fabs(t), dtype, t == -infinity ? 0 : value);
}

Scalar smooth_map(std::uint32_t fn, Dtype dtype, Real x, const Real* p) {
  switch (fn) {
    case TL_MAP_rsqrt: return within(2, dtype, 1 / std::sqrt(x));
    case TL_MAP_exp: return within(2, dtype, std::exp(x));
    case TL_MAP_log: return within(2, dtype, std::log(x));
    case TL_MAP_sin: return within(2, dtype, std::sin(x));
    case TL_MAP_cos: return within(2, dtype, std::cos(x));
    case TL_MAP_erf: return within(2, dtype, std::erf(x));
    case TL_MAP_tanh: return within(2, dtype, std::tanh(x));
    case TL_MAP_sigmoid: return within(2, dtype, sigmoid(x));
    case TL_MAP_gelu: return gelu(dtype, x);
    case TL_MAP_gelu_tanh: return gelu_tanh(dtype, x);
    case TL_MAP_silu: return silu(dtype, x);
    case TL_MAP_softplus: return softplus(dtype, x, p[0], p[1]);
    case TL_MAP_pow_scalar: return power(dtype, x, p[0]);
    case TL_MAP_rpow_scalar: return power(dtype, p[0], x);
    default: no_reference("map", fn);
  }
}

template <class T>
Scalar map_in(std::uint32_t fn, Dtype dtype, Real x, std::span<const double> params) {
  T p[TL_MAX_PARAMS] = {};
  Real wide[TL_MAX_PARAMS] = {};
  for (std::size_t k = 0; k < params.size(); ++k)
    wide[k] = static_cast<Real>(p[k] = static_cast<T>(params[k]));
  bool truth;
  if (predicate(fn, static_cast<T>(x), p, truth)) return exactly(truth);
  if constexpr (!std::is_same_v<T, bool>) {
    T y;
    if (exact_map(fn, static_cast<T>(x), p, y)) return exactly(static_cast<Real>(y));
  }
  return smooth_map(fn, dtype, x, wide);
}

std::int64_t bits_of(Dtype dtype) { return info(dtype).code.bits; }

/// As C++ converts; out of an integer's range anything may result.
Scalar convert(Real x, Dtype from, Dtype to) {
  if (to == Dtype::boolean) return exactly(x != 0);
  if (is_float(to)) return exactly(x);
  if (is_float(from)) {
    const Real whole = std::trunc(x);
    const Real span = std::ldexp(Real(1), static_cast<int>(bits_of(to)));
    const Real low = to == Dtype::uint8 ? 0 : -span / 2;
    if (!(whole >= low && whole < low + span)) return {0, anything};
    return exactly(whole == 0 ? Real(0) : whole);
  }
  const auto whole = static_cast<std::int64_t>(x);
  if (to == Dtype::uint8) return exactly(static_cast<std::uint8_t>(whole));
  if (to == Dtype::int32) return exactly(static_cast<std::int32_t>(whole));
  return exactly(x);
}

bool keeps_signs_of_zero(std::uint32_t fn) {
  switch (fn) {
    case TL_MAP_copy:
    case TL_MAP_neg:
    case TL_MAP_abs:
    case TL_MAP_square:
    case TL_MAP_reciprocal:
    case TL_MAP_sqrt:
    case TL_MAP_floor:
    case TL_MAP_ceil:
    case TL_MAP_round:
    case TL_MAP_sin:
    case TL_MAP_erf:
    case TL_MAP_tanh:
    case TL_MAP_add_scalar:
    case TL_MAP_rsub_scalar:
    case TL_MAP_mul_scalar:
    case TL_MAP_div_scalar:
    case TL_MAP_rdiv_scalar: return true;
    default: return false;
  }
}

/// a + i b: in float64 (int64 in int64). Two roundings, or one where it is fused.
Scalar arange(Dtype dtype, std::int64_t i, double a, double b) {
  if (dtype == Dtype::int64) {
    return exactly(static_cast<Real>(
        add(static_cast<std::int64_t>(a), multiply(i, static_cast<std::int64_t>(b)))));
  }
  const Real product = static_cast<Real>(i) * b, value = a + product;
  if (dtype == Dtype::boolean) return exactly(value != 0);
  const Real rounding = epsilon(Dtype::float64) * (std::fabs(Real(a)) + std::fabs(product));
  // Where rounding to the dtype hides it, nothing is left of it.
  const bool hidden = round_to(dtype, value - rounding) == round_to(dtype, value + rounding);
  return {value, hidden ? 0 : rounding + spacing(dtype, value)};
}

}  // namespace

Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }

Scalar power(Dtype dtype, Real x, Real y) {
  if (is_float(dtype)) return within(4, dtype, std::pow(x, y));
  const auto base = static_cast<std::int64_t>(x);
  const auto exponent = static_cast<std::int64_t>(y);
  if (exponent < 0) return exactly(base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0);
  std::int64_t result = 1, square = base;
  for (std::int64_t e = exponent; e; e >>= 1, square = multiply(square, square)) {
    if (e & 1) result = multiply(result, square);
  }
  return exactly(static_cast<Real>(result));
}

Scalar map(std::uint32_t fn, Dtype dtype, Real x, std::span<const double> params) {
  return with_type(dtype, [&](auto t) { return map_in<decltype(t)>(fn, dtype, x, params); });
}

Result map(std::uint32_t fn, const Array& input, Dtype output, std::span<const double> params) {
  Result result(output, input.shape);
  result.signs_of_zero = is_float(output) && keeps_signs_of_zero(fn);
  for (std::size_t i = 0; i < input.at.size(); ++i) {
    const Scalar y = fn == TL_MAP_copy ? convert(input.at[i], input.dtype, output)
                                       : map(fn, input.dtype, input.at[i], params);
    result.set(i, y.value, y.tolerance);
  }
  return result;
}

Result create(std::uint32_t fn, Dtype dtype, const Shape& shape, std::span<const double> params) {
  Result result(dtype, shape);
  if (result.value.empty()) return result;
  Shape index(shape.size(), 0);
  std::int64_t i = 0;
  do {
    Scalar y;
    if (fn == TL_MAP_fill) {
      y = convert(params[0], Dtype::float64, dtype);
    } else if (fn == TL_MAP_arange) {
      y = arange(dtype, i, params[0], params[1]);
    } else if (fn == TL_MAP_eye) {
      const std::size_t rank = shape.size();
      y = exactly(index[rank - 1] == index[rank - 2] + static_cast<std::int64_t>(params[0]));
    } else {
      no_reference("map", fn);
    }
    result.set(static_cast<std::size_t>(i++), y.value, y.tolerance);
  } while (advance(index, shape));
  return result;
}

}  // namespace torchlight::test::reference
