#pragma once

#include "kernels/math.h"
#include "kernels/widen.h"

/// The normal distribution's tail, which gelu and its derivative need with full relative accuracy.
namespace cpu_simd::TL_ISA {

/// For x >= 0, bounded where nothing is left: Phi(-x) = tail 2^n and e^(-x^2/2) = power 2^n.
struct NormalTail {
  Vec<double> x, tail, power, n;
};

/// G(x) = Phi(-x) e^(x^2/2) from its polynomial in u = (x - k) / (x + k). Rounding of u would cost several
/// places; what it lost is put back by G' = x G - 1 / sqrt(2 pi).
CPU_SIMD_INLINE Vec<double> scaled_tail(const Vec<double>& x) noexcept {
  using C = Table<double>;
  const Vec<double> k = splat(C::tail_k);
  const Vec<double> above = x + k, below = x - k, u = below / above;
  const Vec<double> above_lost = x - (above - k), below_lost = x - (below + k);
  const Vec<double> product = u * above;
  const Vec<double> residual =
      ((below - product) - product_error(u, above, product)) + fnma(u, above_lost, below_lost);
  const Vec<double> g = polynomial(u, C::tail);
  const Vec<double> slope = fma(x, g, splat(-0.39894228040143267794));
  return fma(residual * above * splat(0.5 / C::tail_k), slope, g);
}

/// x^2 is taken in two parts, since the exponential magnifies what rounding loses.
CPU_SIMD_INLINE NormalTail normal_tail(const Vec<double>& magnitude) noexcept {
  const Vec<double> x = at_most(magnitude, splat(Table<double>::tail_end));
  const Vec<double> square = x * x, minus_half = splat(-0.5);
  const Vec<double> low = product_error(x, x, square) * minus_half;
  const Exponential<double> e = exponential(square * minus_half, low);
  const Vec<double> g = scaled_tail(x);
  return {x, fma(g, e.power_minus_1(), g), e.power(), e.n};
}

/// Good for float32 only.
CPU_SIMD_INLINE NormalTail short_normal_tail(const Vec<double>& magnitude) noexcept {
  using C = ShortTable;
  const Vec<double> x = at_most(magnitude, splat(C::tail_end)), k = splat(C::tail_k);
  const Vec<double> exponent = x * x * splat(-0.5 * Table<double>::log2e);
  const Vec<double> n = round_small(exponent), r = exponent - n;
  const Vec<double> power = fma(r, polynomial(r, C::exp2), splat(1.0));
  return {x, polynomial((x - k) / (x + k), C::tail) * power, power, n};
}

/// x Phi(x): Phi(-|x|) times x is what is there below 0 and what is missing above.
CPU_SIMD_INLINE Vec<double> gelu_from(const Vec<double>& x, const NormalTail& t) noexcept {
  const Vec<double> below = scale(with_sign(t.x, x) * t.tail, t.n);
  return select(x <= splat(0.0), below, x - below);
}

/// Phi(x) + x phi(x).
CPU_SIMD_INLINE Vec<double> gelu_derivative_from(const Vec<double>& x, const NormalTail& t) noexcept {
  const Vec<double> density = t.x * splat(0.39894228040143267794) * t.power;
  const Vec<double> below = scale(t.tail - density, t.n);
  return select(x <= splat(0.0), below, splat(1.0) - below);
}

CPU_SIMD_INLINE Vec<double> gelu_of(const Vec<double>& x) noexcept {
  return gelu_from(x, normal_tail(abs_of(x)));
}
CPU_SIMD_INLINE Vec<double> gelu_derivative(const Vec<double>& x) noexcept {
  return gelu_derivative_from(x, normal_tail(abs_of(x)));
}

/// float32 goes through float64: its own arithmetic can't keep two places here.
CPU_SIMD_INLINE Vec<float> gelu_of(const Vec<float>& x) noexcept {
  const Wide w = widen(x);
  return narrow({gelu_from(w.low, short_normal_tail(abs_of(w.low))),
                 gelu_from(w.high, short_normal_tail(abs_of(w.high)))});
}
CPU_SIMD_INLINE Vec<float> gelu_derivative(const Vec<float>& x) noexcept {
  const Wide w = widen(x);
  return narrow({gelu_derivative_from(w.low, short_normal_tail(abs_of(w.low))),
                 gelu_derivative_from(w.high, short_normal_tail(abs_of(w.high)))});
}

}  // namespace cpu_simd::TL_ISA
