#pragma once

#include "kernels/math_tables.h"

/// Elementary functions on registers, for float and double. Right at the edges of their ranges, at
/// zeros, infinities and NaN; subnormal numbers are kept.
namespace cpu_simd::TL_ISA {

template <class T> CPU_SIMD_INLINE auto as_bits(const Vec<T>& x) noexcept {
  return xsimd::bitwise_cast<Vec<BitsOf<T>>>(x);
}

template <class T> CPU_SIMD_INLINE Vec<T> from_bits(const Vec<BitsOf<T>>& x) noexcept {
  return xsimd::bitwise_cast<Vec<T>>(x);
}

/// c[0] + c[1] x + …, by Horner's rule.
template <class T, size_t n>
CPU_SIMD_INLINE Vec<T> polynomial(const Vec<T>& x, const T (&c)[n]) noexcept {
  Vec<T> sum = splat(c[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = fma(sum, x, splat(c[i]));
  return sum;
}

/// To the nearest whole number, for |x| up to half of what the type holds exactly.
template <class T> CPU_SIMD_INLINE Vec<T> round_small(const Vec<T>& x) noexcept {
  const Vec<T> shift = splat(Table<T>::round_shift);
  return (x + shift) - shift;
}

/// 2^n for a whole n between the exponents of normal numbers.
template <class T> CPU_SIMD_INLINE Vec<T> power_of_two(const Vec<T>& n) noexcept {
  const Vec<T> biased = n + splat(Table<T>::round_shift + Table<T>::bias);
  return from_bits<T>(as_bits(biased) << Table<T>::mantissa_bits);
}

/// x 2^n, rounded once, for any n that can make sense.
template <class T> CPU_SIMD_INLINE Vec<T> scale(const Vec<T>& x, const Vec<T>& n) noexcept {
#if defined(TL_ISA_avx512)
  if constexpr (std::is_same_v<T, float>)
    return _mm512_scalef_ps(x, n);
  else
    return _mm512_scalef_pd(x, n);
#else
  const Vec<T> half = round_small(n * splat(T(0.5)));
  return x * power_of_two(half) * power_of_two(n - half);  // the first product is exact
#endif
}

/// What a product lost by rounding: a * b - p.
template <class T>
CPU_SIMD_INLINE Vec<T> product_error(const Vec<T>& a, const Vec<T>& b, const Vec<T>& p) noexcept {
  if constexpr (has_fma) {
    return fms(a, b, p);
  } else {  // halves whose products are exact
    const Vec<T> splitter = splat(sizeof(T) == 4 ? T(4097) : T(134217729));
    const Vec<T> ca = splitter * a, cb = splitter * b;
    const Vec<T> ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  }
}

/// e^x = (1 + r + t) 2^n. r is what remains of x, exactly, and t, which is small, all the rest: in this
/// form little is lost when they are put together.
template <class T> struct Exponential {
  Vec<T> r, t, n;

  CPU_SIMD_INLINE Vec<T> power() const noexcept { return (splat(T(1)) + r) + t; }
  CPU_SIMD_INLINE Vec<T> power_minus_1() const noexcept { return r + t; }
};

/// Of x + low for exp_low <= x <= exp_high or NaN, and a low that is far below x.
template <class T>
CPU_SIMD_INLINE Exponential<T> exponential(const Vec<T>& x, const Vec<T>& low) noexcept {
  const Vec<T> n = round_small(x * splat(Table<T>::log2e));
  const Vec<T> r = fnma(n, splat(Table<T>::ln2_high), x);
  const Vec<T> c = fms(n, splat(Table<T>::ln2_low), low), rest = r - c;
  return {r, fms(rest * rest, polynomial(rest, Table<T>::exp), c), n};
}

template <class T> CPU_SIMD_INLINE Exponential<T> exponential(const Vec<T>& x) noexcept {
  const Vec<T> n = round_small(x * splat(Table<T>::log2e));
  const Vec<T> r = fnma(n, splat(Table<T>::ln2_high), x);
  const Vec<T> c = n * splat(Table<T>::ln2_low), rest = r - c;
  return {r, fms(rest * rest, polynomial(rest, Table<T>::exp), c), n};
}

template <class T> CPU_SIMD_INLINE Vec<T> exp_of(const Vec<T>& x) noexcept {
  const Vec<T> low = splat(Table<T>::exp_low), high = splat(Table<T>::exp_high);
  const Exponential<T> e = exponential(at_least(at_most(x, high), low));
  return scale(e.power(), e.n);
}

/// For x <= 0 and NaN: there is no upper edge.
template <class T> CPU_SIMD_INLINE Vec<T> exp_negative(const Vec<T>& x) noexcept {
  const Exponential<T> e = exponential(at_least(x, splat(Table<T>::exp_low)));
  return scale(e.power(), e.n);
}

/// ln(1 + f) + n ln 2 for 1 + f from sqrt(1/2) to sqrt(2).
CPU_SIMD_INLINE Vec<float> log_reduced(const Vec<float>& f, const Vec<float>& n) noexcept {
  using C = Table<float>;
  const Vec<float> square = f * f;
  const Vec<float> cubic = fma(f, polynomial(f, C::log), splat(-0.5f));
  const Vec<float> rest = fma(square, cubic, n * splat(C::ln2_low));
  return fma(n, splat(C::ln2_high), f + rest);
}

/// With s = f / (2 + f), ln(1 + f) is f - f^2/2 + s (f^2/2 + s^2 …).
CPU_SIMD_INLINE Vec<double> log_reduced(const Vec<double>& f, const Vec<double>& n) noexcept {
  using C = Table<double>;
  const Vec<double> s = f / (splat(2.0) + f), z = s * s, half_square = splat(0.5) * f * f;
  const Vec<double> series = z * polynomial(z, C::log);
  const Vec<double> rest = fma(s, half_square + series, n * splat(C::ln2_low));
  return fma(n, splat(C::ln2_high), f - (half_square - rest));
}

/// x = m 2^n with m from sqrt(1/2) to sqrt(2), for positive normal x.
template <class T> struct Split { Vec<T> m, n; };

template <class T> CPU_SIMD_INLINE Split<T> split(const Vec<T>& x) noexcept {
  using Word = std::make_unsigned_t<BitsOf<T>>;
  using Words = Vec<Word>;
  constexpr int shift = Table<T>::mantissa_bits;
  const Words root = xsimd::bitwise_cast<Words>(splat(T(0x1.6a09e667f3bcdp-1)));
  const Words one = xsimd::bitwise_cast<Words>(splat(T(1)));
  const Words whole = xsimd::bitwise_cast<Words>(splat(Table<T>::whole));
  const Words moved = xsimd::bitwise_cast<Words>(x) + (one - root);
  const Words mantissa = (moved & Words((Word{1} << shift) - 1)) + root;
  const Vec<T> exponent = xsimd::bitwise_cast<Vec<T>>(moved >> shift | whole);
  return {xsimd::bitwise_cast<Vec<T>>(mantissa), exponent - splat(Table<T>::whole + Table<T>::bias)};
}

template <class T> CPU_SIMD_INLINE Vec<T> log_of(const Vec<T>& x) noexcept {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const Mask<T> subnormal = x < splat(Table<T>::smallest_normal);
  const Split<T> parts = split(select(subnormal, x * splat(Table<T>::whole), x));
  const Vec<T> shift = splat(T(Table<T>::mantissa_bits));
  const Vec<T> n = select(subnormal, parts.n - shift, parts.n);
  const Vec<T> result = log_reduced(parts.m - splat(T(1)), n);
  const Vec<T> nan = splat(std::numeric_limits<T>::quiet_NaN()), zero = splat(T(0));
  const Vec<T> special = select(x == zero, splat(-infinity), select(x < zero, nan, x));
  return select((x > zero) & (x < splat(infinity)), result, special);
}

/// ln(1 + e) for 0 <= e <= 1, relative to itself.
template <class T> CPU_SIMD_INLINE Vec<T> log1p_of(const Vec<T>& e) noexcept {
  const Mask<T> large = e > splat(T(0.41421356));
  const Vec<T> f = select(large, (e - splat(T(1))) * splat(T(0.5)), e);
  return log_reduced(f, select(large, splat(T(1)), splat(T(0))));
}

/// Near 0 by a polynomial; else 1 - 2 e / (1 + e) with e = e^(-2 |x|): nothing cancels or overflows.
template <class T> CPU_SIMD_INLINE Vec<T> tanh_of(const Vec<T>& x) noexcept {
  const Vec<T> magnitude = abs_of(x), square = x * x, one = splat(T(1));
  const Vec<T> near = fma(x * square, polynomial(square, Table<T>::tanh), x);
  const Vec<T> limit = splat(sizeof(T) == 4 ? T(10) : T(20));  // 1 from here
  const Exponential<T> parts = exponential(splat(T(-2)) * at_most(magnitude, limit));
  const Vec<T> e = parts.power() * power_of_two(parts.n);
  const Vec<T> far = one - quotient(e + e, one + e);
  return with_sign(select(magnitude < splat(Table<T>::tanh_split), near, far), x);
}

/// 1 / (1 + e^-x), by the exponential of -|x|.
template <class T> CPU_SIMD_INLINE Vec<T> sigmoid_of(const Vec<T>& x) noexcept {
  const Vec<T> e = exp_negative(-abs_of(x)), one = splat(T(1));
  return quotient(select(x < splat(T(0)), e, one), one + e);
}

/// Near 0 by a polynomial; else 1 - e^(…), whose error no longer matters.
CPU_SIMD_INLINE Vec<float> erf_of(const Vec<float>& x) noexcept {
  using C = Table<float>;
  const Vec<float> magnitude = abs_of(x);
  const Vec<float> near = fma(x, polynomial(x * x, C::erf), x);
  const Exponential<float> e = exponential(polynomial(at_most(magnitude, splat(4.0f)), C::erfc_log));
  const Vec<float> far = splat(1.0f) - e.power() * power_of_two(e.n);
  return select(magnitude < splat(C::erf_split), near, with_sign(far, x));
}

/// Likewise; 1 - erf(x) is 2 Phi(-sqrt(2) x).
CPU_SIMD_INLINE Vec<double> erf_of(const Vec<double>& x) noexcept {
  using C = Table<double>;
  const Vec<double> magnitude = abs_of(x);
  const Vec<double> near = fma(x, polynomial(x * x, C::erf), x);
  const Vec<double> bounded = at_most(magnitude, splat(C::erf_end));
  const Exponential<double> e = exponential(-(bounded * bounded));
  const Vec<double> t = bounded * splat(0x1.6a09e667f3bcdp+0), k = splat(C::tail_k);
  const Vec<double> u = (t - k) / (t + k);
  const Vec<double> others = fma(u, polynomial(u, C::tail), splat(C::tail_second));
  const Vec<double> twice_tail = splat(2.0) * fma(u, others, splat(C::tail_first));
  const Vec<double> far = splat(1.0) - twice_tail * e.power() * power_of_two(e.n);
  return select(magnitude < splat(C::erf_split), near, with_sign(far, x));
}

}  // namespace cpu_simd::TL_ISA
