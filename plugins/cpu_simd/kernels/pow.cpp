#include "kernels/elementwise.h"
#include "kernels/math.h"
#include "kernels/rounding.h"
#include "kernels/widen.h"

namespace cpu_simd::TL_ISA {
namespace {

/// log2(m) / s in s^2 for m from sqrt(1/2) to sqrt(2), s = (m - 1) / (m + 1): 2^-45.
constexpr double log2_series[] = {0x1.71547652b8251p+1, 0x1.ec709dc53b2ccp-1, 0x1.2776c294dac80p-1,
                                  0x1.a61a2d7a442d2p-2, 0x1.47958c0892d1ap-2, 0x1.21adf04937fd1p-2};
/// (2^r - 1) / r for |r| <= 1/2: 2^-34.
constexpr double exp2_series[] = {0x1.62e42ff0e1bd2p-1, 0x1.ebfbe079749f6p-3,  0x1.c6b08ab448d73p-5,
                                  0x1.3b29f236fc585p-7, 0x1.5d8a966c5b7b2p-10, 0x1.445d782ad2eadp-13,
                                  0x1.fdd0e8c74e203p-17};

/// x^y for x > 0 and finite y, in float64: enough that rounding to float32 is all that is lost.
CPU_SIMD_INLINE Vec<double> positive_power(const Vec<double>& x, const Vec<double>& y) noexcept {
  const Vec<double> one = splat(1.0);
  const Split<double> parts = split(x);
  const Vec<double> s = (parts.m - one) / (parts.m + one);
  const Vec<double> exponent = y * fma(s, polynomial(s * s, log2_series), parts.n);
  const Vec<double> bounded = at_least(at_most(exponent, splat(200.0)), splat(-200.0));
  const Vec<double> n = round_small(bounded), r = bounded - n;
  const Vec<double> power = power_of_two(n);
  return fma(power, r * polynomial(r, exp2_series), power);
}

/// What the formula can't know: zeros, infinities, NaN and negative bases.
CPU_SIMD_INLINE Vec<float> power_of(const Vec<float>& x, const Vec<float>& y) noexcept {
  const Vec<float> zero = splat(0.0f), one = splat(1.0f);
  const Vec<float> infinity = splat(std::numeric_limits<float>::infinity());
  const Vec<float> magnitude = abs_of(x);
  const Wide base = widen(magnitude), exponent = widen(y);
  const Vec<float> finite =
      narrow({positive_power(base.low, exponent.low), positive_power(base.high, exponent.high)});

  const Vec<float> half = y * splat(0.5f);
  const Mask<float> whole = round_of(y) == y, odd = whole & differs(round_of(half), half);
  const Mask<float> rising = y > zero;
  // |x|^y where |x| is 0 or infinite: |x| itself, or its reciprocal.
  const Mask<float> edge = (magnitude == zero) | (magnitude == infinity);
  const Vec<float> at_edge = select(rising, magnitude, quotient(one, magnitude));
  // |x|^y where y is infinite, |x| not 1.
  const Vec<float> grown = select(magnitude > one, infinity, zero);
  const Vec<float> far = select(rising, grown, quotient(one, grown));

  Vec<float> result = select(edge, at_edge, finite);
  result = select(abs_of(y) == infinity, select(magnitude == one, one, far), result);
  result = select(odd, with_sign(result, x), result);
  const Mask<float> no_root = (x < zero) & (magnitude < infinity) & ~whole;
  const Vec<float> nan = splat(std::numeric_limits<float>::quiet_NaN());
  result = select(no_root | is_nan(x) | is_nan(y), nan, result);
  return select((x == one) | (y == zero), one, result);
}

CPU_SIMD_INLINE Vec<double> power_of(const Vec<double>& x, const Vec<double>& y) noexcept {
  alignas(64) double base[lanes<double>], exponent[lanes<double>];
  x.store_aligned(base);
  y.store_aligned(exponent);
  for (int64_t i = 0; i < lanes<double>; ++i) base[i] = std::pow(base[i], exponent[i]);
  return Vec<double>::load_aligned(base);
}

/// By squaring, wrapping around. A negative power of anything but 1 and -1 is 0.
CPU_SIMD_INLINE Int power_of(Int x, Int y) noexcept {
  const Int zero{0}, one{1};
  const bool odd = y.value & 1;
  if (y < zero) return x == one || (x == Int{-1} && !odd) ? one : x == Int{-1} ? x : zero;
  Int result = one;
  for (uint64_t n = bits(y); n != 0; n >>= 1, x = x * x)
    if (n & 1) result = result * x;
  return result;
}

CPU_SIMD_MAP(PowScalar, power_of(x, a))
CPU_SIMD_MAP(RpowScalar, power_of(a, x))
CPU_SIMD_ZIP(Pow, power_of(x, y))

template <class F>
constexpr Choice pow_map{compact_map_kernel<F, float>, compact_map_kernel<F, double>,
                         map_kernel<F, Int>, nullptr};
constexpr Choice pow_zip{compact_zip_kernel<Pow, float>, compact_zip_kernel<Pow, double>,
                         zip_kernel<Pow, Int>, nullptr};

}  // namespace

Kernel find_map_pow(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_MAP_pow_scalar: return pow_map<PowScalar>(type);
    case TL_MAP_rpow_scalar: return long_map<RpowScalar>(type);
    default: return nullptr;
  }
}

Kernel find_zip_pow(Type type) noexcept { return pow_zip(type); }

}  // namespace cpu_simd::TL_ISA
