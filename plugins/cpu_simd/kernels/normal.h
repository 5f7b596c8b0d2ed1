#pragma once

#include "kernels/math.h"
#include "kernels/widen.h"

/// The normal distribution's tail, which gelu and its derivative need with full relative accuracy.
namespace cpu_simd::TL_ISA {

/// For x >= 0, bounded where nothing is left: Phi(-x) = (tail + rest) 2^n, e^(-x^2/2) = power 2^n. The rest
/// is kept apart, so that the next product is the first to round.
struct NormalTail {
  Vec<double> x, tail, rest, power, n;
};

struct TwoDoubles {
  Vec<double> high, low;
};

/// u v + c and what its two roundings lost.
CPU_SIMD_INLINE TwoDoubles horner_step(const Vec<double>& u, const Vec<double>& v,
                                       const Vec<double>& c) noexcept {
  const Vec<double> product = u * v, sum = product + c, back = sum - product;
  return {sum, ((product - (sum - back)) + (c - back)) + product_error(u, v, product)};
}

/// G(x) = Phi(-x) e^(x^2/2) from its polynomial in u = (x - k) / (x + k). Rounding of u would cost several
/// places; what it lost is put back by G' = x G - 1 / sqrt(2 pi).
CPU_SIMD_INLINE TwoDoubles scaled_tail(const Vec<double>& x) noexcept {
  using C = Table<double>;
  const Vec<double> k = splat(C::tail_k);
  const Vec<double> above = x + k, below = x - k, u = below / above;
  const Vec<double> above_lost = x - (above - k), below_lost = x - (below + k);
  const Vec<double> product = u * above;
  const Vec<double> residual =
      ((below - product) - product_error(u, above, product)) + fnma(u, above_lost, below_lost);
  const TwoDoubles others = horner_step(u, polynomial(u, C::tail), splat(C::tail_second));
  const TwoDoubles sum = horner_step(u, others.high, splat(C::tail_first));
  const Vec<double> g = sum.high, lost = fma(u, others.low, sum.low);
  const Vec<double> slope = fma(x, g, splat(-0.39894228040143267794));
  const Vec<double> moved = residual * above * splat(0.5 / C::tail_k);
  return {g, fma(moved, slope, lost)};
}

/// x^2 is taken in two parts, since the exponential magnifies what rounding loses.
CPU_SIMD_INLINE NormalTail normal_tail(const Vec<double>& magnitude) noexcept {
  const Vec<double> x = at_most(magnitude, splat(Table<double>::tail_end));
  const Vec<double> square = x * x, minus_half = splat(-0.5);
  const Vec<double> low = product_error(x, x, square) * minus_half;
  const Exponential<double> e = exponential(square * minus_half, low);
  const TwoDoubles g = scaled_tail(x);
  return {x, g.high, fma(g.high, e.power_minus_1(), g.low), e.power(), e.n};
}

/// x Phi(x): Phi(-|x|) times x is what is there below 0 and what is missing above.
CPU_SIMD_INLINE Vec<double> gelu_of(const Vec<double>& x) noexcept {
  const NormalTail t = normal_tail(abs_of(x));
  const Vec<double> bounded = with_sign(t.x, x);
  const Vec<double> product = bounded * t.tail;
  const Vec<double> lost = product_error(bounded, t.tail, product);
  const Vec<double> below = scale(product + fma(bounded, t.rest, lost), t.n);
  return select(x <= splat(0.0), below, x - below);
}

/// Phi(x) + x phi(x).
CPU_SIMD_INLINE Vec<double> gelu_derivative(const Vec<double>& x) noexcept {
  const NormalTail t = normal_tail(abs_of(x));
  const Vec<double> density = t.x * splat(0.39894228040143267794) * t.power;
  const Vec<double> below = scale((t.tail + t.rest) - density, t.n);
  return select(x <= splat(0.0), below, splat(1.0) - below);
}

/// The same in float64 with float32's accuracy: float32's own arithmetic can't keep two places here.
struct ShortTail {
  Vec<double> x, tail, power;
};

CPU_SIMD_INLINE ShortTail short_tail(const Vec<double>& magnitude) noexcept {
  using C = ShortTable;
  const Vec<double> x = at_most(magnitude, splat(C::tail_end)), k = splat(C::tail_k);
  const Vec<double> exponent = x * x * splat(-0.5 * Table<double>::log2e);
  const Vec<double> n = round_small(exponent), r = exponent - n;
  const Vec<double> power = fma(r, polynomial(r, C::exp2), splat(1.0)) * power_of_two(n);
  return {x, polynomial((x - k) / (x + k), C::tail) * power, power};
}

CPU_SIMD_INLINE Vec<double> short_gelu(const Vec<double>& x) noexcept {
  const ShortTail t = short_tail(abs_of(x));
  const Vec<double> below = with_sign(t.x * t.tail, x);
  return select(x <= splat(0.0), below, x - below);
}

CPU_SIMD_INLINE Vec<double> short_gelu_derivative(const Vec<double>& x) noexcept {
  const ShortTail t = short_tail(abs_of(x));
  const Vec<double> below = t.tail - t.x * splat(0.39894228040143267794) * t.power;
  return select(x <= splat(0.0), below, splat(1.0) - below);
}

CPU_SIMD_INLINE Vec<float> gelu_of(const Vec<float>& x) noexcept {
  const Wide w = widen(x);
  return narrow({short_gelu(w.low), short_gelu(w.high)});
}

CPU_SIMD_INLINE Vec<float> gelu_derivative(const Vec<float>& x) noexcept {
  const Wide w = widen(x);
  return narrow({short_gelu_derivative(w.low), short_gelu_derivative(w.high)});
}

}  // namespace cpu_simd::TL_ISA
