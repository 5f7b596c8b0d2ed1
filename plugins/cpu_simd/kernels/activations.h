#pragma once

#include "kernels/normal.h"

/// Activations and their derivatives. Each works on |x|, bounded where the result has reached its limit,
/// so that infinities come out right, and puts the two signs together at the end.
namespace cpu_simd::TL_ISA {

/// For silu and gelu_tanh: x times the sigmoid of w, where w has the sign of x and `e` is e^-|w|.
template <class T>
CPU_SIMD_INLINE Vec<T> times_sigmoid(const Vec<T>& x, const Vec<T>& bounded,
                                     const Exponential<T>& e) noexcept {
  const Vec<T> power = e.power();
  const Vec<T> below = scale(bounded * power, e.n);  // |x| e^-|w|
  return quotient(select(x <= splat(T(0)), with_sign(below, x), x), splat(T(1)) + scale(power, e.n));
}

template <class T> constexpr T silu_end = sizeof(T) == 4 ? T(110) : T(760);

template <class T> CPU_SIMD_INLINE Vec<T> silu_of(const Vec<T>& x) noexcept {
  const Vec<T> bounded = at_most(abs_of(x), splat(silu_end<T>));
  return times_sigmoid(x, bounded, exponential(-bounded));
}

/// s (1 + x (1 - s)) with s = sigmoid(x): both signs share x e / (1 + e)^2.
template <class T> CPU_SIMD_INLINE Vec<T> silu_derivative(const Vec<T>& x) noexcept {
  const Vec<T> bounded = at_most(abs_of(x), splat(silu_end<T>)), one = splat(T(1));
  const Vec<T> e = exp_negative(-bounded), s = quotient(one, one + e), es = e * s;
  return select(x < splat(T(0)), es - bounded * es * s, s + bounded * es * s);
}

/// 2 sqrt(2/pi) (x + 0.044715 x^3), whose sigmoid gelu_tanh multiplies with, in two parts: the exponential
/// magnifies what rounding loses.
template <class T> struct TwoParts { Vec<T> high, low; };

template <class T> CPU_SIMD_INLINE TwoParts<T> gelu_tanh_argument(const Vec<T>& x) noexcept {
  using C = Table<T>;
  const Vec<T> c0 = splat(C::gelu_linear), c1 = splat(C::gelu_cubic);
  const Vec<T> square = x * x, square_low = product_error(x, x, square);
  const Vec<T> p = c1 * square, p_low = product_error(c1, square, p);
  const Vec<T> sum = c0 + p, back = sum - c0, sum_low = (c0 - (sum - back)) + (p - back);
  const Vec<T> constants_low = fma(splat(C::gelu_cubic_low), square, splat(C::gelu_linear_low));
  const Vec<T> factor_low = fma(c1, square_low, sum_low + p_low) + constants_low;
  const Vec<T> high = x * sum;
  return {high, fma(x, factor_low, product_error(x, sum, high))};
}

template <class T> constexpr T gelu_tanh_end = sizeof(T) == 4 ? T(11) : T(22);

template <class T> CPU_SIMD_INLINE Vec<T> gelu_tanh_of(const Vec<T>& x) noexcept {
  const Vec<T> bounded = at_most(abs_of(x), splat(gelu_tanh_end<T>));
  const TwoParts<T> w = gelu_tanh_argument(bounded);
  return times_sigmoid(x, bounded, exponential(-w.high, -w.low));
}

/// s + x s (1 - s) w' with s = sigmoid(w).
template <class T> CPU_SIMD_INLINE Vec<T> gelu_tanh_derivative(const Vec<T>& x) noexcept {
  const Vec<T> bounded = at_most(abs_of(x), splat(gelu_tanh_end<T>)), one = splat(T(1));
  const TwoParts<T> w = gelu_tanh_argument(bounded);
  const Exponential<T> parts = exponential(-w.high, -w.low);
  const Vec<T> e = scale(parts.power(), parts.n), s = quotient(one, one + e), es = e * s;
  const Vec<T> slope =
      fma(splat(3 * Table<T>::gelu_cubic), bounded * bounded, splat(Table<T>::gelu_linear));
  const Vec<T> shared = bounded * slope * es * s;
  return select(x < splat(T(0)), es - shared, s + shared);
}

/// ln(1 + e^w).
template <class T> CPU_SIMD_INLINE Vec<T> softplus_of(const Vec<T>& w) noexcept {
  return at_least(w, splat(T(0))) + log1p_of(exp_negative(-abs_of(w)));
}

}  // namespace cpu_simd::TL_ISA
