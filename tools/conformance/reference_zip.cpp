#include "reference_internal.h"

namespace torchlight::test::reference {
namespace {

/// Exact or rounded once. False: not one of them.
template <class T> bool exact_zip(std::uint32_t fn, T x, T y, T z, const T* p, T& r) {
  switch (fn) {
    case TL_ZIP_add: return r = add(x, y), true;
    case TL_ZIP_sub: return r = subtract(x, y), true;
    case TL_ZIP_mul: return r = multiply(x, y), true;
    case TL_ZIP_maximum: return r = maximum(x, y), true;
    case TL_ZIP_minimum: return r = minimum(x, y), true;
    case TL_ZIP_clamp_tensor: return r = x != x ? x : z != z ? z : minimum(maximum(x, y), z), true;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (fn == TL_ZIP_addcmul) return r = add(x, multiply(p[0], multiply(y, z))), true;
  } else {
    switch (fn) {
      case TL_ZIP_div: return r = x / y, true;
      case TL_ZIP_relu_bw: return r = y > 0 ? x : T(0), true;
      case TL_ZIP_leaky_relu_bw: return r = y > 0 ? x : p[0] * x, true;
      case TL_ZIP_clamp_bw: return r = p[0] <= y && y <= p[1] ? x : T(0), true;
      default: break;
    }
  }
  return false;
}

template <class T> bool comparison(std::uint32_t fn, T x, T y, bool& r) {
  switch (fn) {
    case TL_ZIP_eq: return r = x == y, true;
    case TL_ZIP_ne: return r = x != y, true;
    case TL_ZIP_lt: return r = x < y, true;
    case TL_ZIP_le: return r = x <= y, true;
    case TL_ZIP_gt: return r = x > y, true;
    case TL_ZIP_ge: return r = x >= y, true;
    case TL_ZIP_logical_and: return r = x != T() && y != T(), true;
    case TL_ZIP_logical_or: return r = x != T() || y != T(), true;
    case TL_ZIP_logical_xor: return r = (x != T()) != (y != T()), true;
    default: return false;
  }
}

/// gradient × slope, where the slope is a sum of parts whose sizes add up to `parts` and each of which
/// may be `units` of its last place off.
Scalar gradient(Dtype dtype, Real x, Real slope, Real parts, Real units) {
  const Real size = std::fabs(x);
  return {x * slope,
          size * parts * units * epsilon(dtype) + (size + 1) * (2 + parts) * smallest(dtype)};
}

/// Phi(y) + y phi(y)
Scalar gelu_gradient(Dtype dtype, Real x, Real y) {
  if (std::isinf(y)) return exactly(y > 0 ? x : x * 0);
  const Real area = std::erfc(-y / std::sqrt(Real(2))) / 2;
  const Real density = y * std::exp(-y * y / 2) / std::sqrt(2 * std::acos(Real(-1)));
  const Real parts = area + std::fabs(density);
  Scalar result = gradient(dtype, x, area + density, parts, 8);
  if (y <= -3) result.tolerance += 1e-6L * parts * std::fabs(x);
  return result;
}

/// s + y s (1 − s) 2u', with s = sigmoid(2u)
Scalar gelu_tanh_gradient(Dtype dtype, Real x, Real y) {
  if (std::isinf(y)) return exactly(y > 0 ? x : x * 0);
  const Real root = std::sqrt(2 / std::acos(Real(-1)));
  const Real two_u = 2 * root * (y + 0.044715L * y * y * y);
  const Real s = sigmoid(two_u), rest = sigmoid(-two_u);
  const Real bend = y * s * rest * 2 * root * (1 + 3 * 0.044715L * y * y);
  return gradient(dtype, x, s + bend, s + std::fabs(bend), 8 + 4 * std::fabs(two_u) * rest);
}

Scalar silu_gradient(Dtype dtype, Real x, Real y) {
  if (std::isinf(y)) return exactly(y > 0 ? x : x * 0);
  const Real s = sigmoid(y), rest = sigmoid(-y);
  Scalar result = gradient(dtype, x, s * (1 + y * rest), s * (1 + std::fabs(y) * rest), 8);
  result.tolerance += 4 * std::fabs(x) * (1 + std::fabs(y)) * smallest(dtype);
  return result;
}

Scalar softplus_gradient(Dtype dtype, Real x, Real y, Real a, Real b) {
  const Real t = round_to(dtype, a * y);
  if (t > b) return exactly(x);
  const Real s = sigmoid(t);
  return gradient(dtype, x, s, s, 5 + (a == 1 || std::isinf(t) ? 0 : std::fabs(t)));
}

Scalar smooth_zip(std::uint32_t fn, Dtype dtype, Real x, Real y, Real z, const Real* p) {
  switch (fn) {
    case TL_ZIP_pow: return power(dtype, x, y);
    case TL_ZIP_addcmul: {
      const Real product = p[0] * y * z, value = x + product;
      return {value,
              epsilon(dtype) * (2 * std::fabs(product) + std::fabs(value)) + 2 * smallest(dtype)};
    }
    case TL_ZIP_sigmoid_bw: return gradient(dtype, x, y * (1 - y), std::fabs(y * (1 - y)), 4);
    case TL_ZIP_tanh_bw: return gradient(dtype, x, 1 - y * y, 1 + y * y, 1);  // 1 and y² cancel
    case TL_ZIP_gelu_bw: return gelu_gradient(dtype, x, y);
    case TL_ZIP_gelu_tanh_bw: return gelu_tanh_gradient(dtype, x, y);
    case TL_ZIP_silu_bw: return silu_gradient(dtype, x, y);
    case TL_ZIP_softplus_bw: return softplus_gradient(dtype, x, y, p[0], p[1]);
    default: no_reference("zip", fn);
  }
}

template <class T>
Scalar zip_in(std::uint32_t fn, Dtype dtype, Real x, Real y, Real z, std::span<const double> params) {
  T p[TL_MAX_PARAMS] = {};
  Real wide[TL_MAX_PARAMS] = {};
  for (std::size_t k = 0; k < params.size(); ++k)
    wide[k] = static_cast<Real>(p[k] = static_cast<T>(params[k]));
  bool truth;
  if (comparison(fn, static_cast<T>(x), static_cast<T>(y), truth)) return exactly(truth);
  if constexpr (!std::is_same_v<T, bool>) {
    T r;
    if (exact_zip(fn, static_cast<T>(x), static_cast<T>(y), static_cast<T>(z), p, r)) {
      return exactly(static_cast<Real>(r));
    }
  }
  return smooth_zip(fn, dtype, x, y, z, wide);
}

bool keeps_signs_of_zero(std::uint32_t fn) {
  return fn == TL_ZIP_add || fn == TL_ZIP_sub || fn == TL_ZIP_mul || fn == TL_ZIP_div ||
         fn == TL_ZIP_where;
}

}  // namespace

Scalar zip(std::uint32_t fn, Dtype dtype, Real x, Real y, Real z, std::span<const double> params) {
  if (fn == TL_ZIP_where) return exactly(x != 0 ? y : z);
  return with_type(dtype, [&](auto t) { return zip_in<decltype(t)>(fn, dtype, x, y, z, params); });
}

Result zip(std::uint32_t fn, const Array& x, const Array& y, const Array& z, Dtype output,
           std::span<const double> params) {
  Result result(output, x.shape);
  result.signs_of_zero = is_float(output) && keeps_signs_of_zero(fn);
  for (std::size_t i = 0; i < x.at.size(); ++i) {
    const Scalar r = zip(fn, y.dtype, x.at[i], y.at[i], z.present() ? z.at[i] : 0, params);
    result.set(i, r.value, r.tolerance);
  }
  return result;
}

}  // namespace torchlight::test::reference
