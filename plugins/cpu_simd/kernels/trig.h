#pragma once

#include "kernels/math.h"
#include "kernels/widen.h"

/// sin and cos. float32 arguments are reduced by multiples of pi/2 in float64; the few that are too large
/// for that, and float64, go through the C library one by one.
namespace cpu_simd::TL_ISA {

template <class T, class F> CPU_SIMD_INLINE Vec<T> lane_by_lane(const Vec<T>& x, const F& f) noexcept {
  alignas(64) T value[lanes<T>];
  x.store_aligned(value);
  for (T& v : value) v = f(v);
  return Vec<T>::load_aligned(value);
}

/// x = r + q pi/2 with |r| <= pi/4, for |x| <= largest_reduced.
constexpr float largest_reduced = 0x1p20f;

struct Reduced {
  Vec<float> r, q;
};

CPU_SIMD_INLINE Reduced reduce_argument(const Vec<float>& x) noexcept {
  const auto quotient = [](const Vec<double>& v) __attribute__((always_inline)) {
    return round_small(v * splat(0x1.45f306dc9c883p-1));
  };
  const auto rest = [](const Vec<double>& v, const Vec<double>& q) __attribute__((always_inline)) {
    return fnma(q, splat(0x1.0b4611a626331p-34), fnma(q, splat(0x1.921fb544p+0), v));
  };
  const Wide v = widen(x), q{quotient(v.low), quotient(v.high)};
  return {narrow({rest(v.low, q.low), rest(v.high, q.high)}), narrow(q)};
}

/// sin(r + q pi/2), with q + 1 for cos: the quarter turn chooses the series and the sign.
CPU_SIMD_INLINE Vec<float> sin_reduced(const Vec<float>& r, const Vec<float>& q) noexcept {
  using C = Table<float>;
  using Words = Vec<int32_t>;
  const Words quarter = as_bits(q + splat(C::round_shift));
  const Vec<float> z = r * r, zr = z * r;
  const Vec<float> sine = with_sign(fma(zr, polynomial(z, C::sin), r), r);  // -0 too
  const Vec<float> cosine = fma(z * z, polynomial(z, C::cos), fnma(splat(0.5f), z, splat(1.0f)));
  const Words odd = Words(0) - (quarter & Words(1)), sign = (quarter & Words(2)) << 30;
  const Words chosen = (as_bits(cosine) & odd) | (as_bits(sine) & ~odd);
  return from_bits<float>(chosen ^ sign);
}

/// `library` stands in where x is too large, infinite or NaN, and only there: a lane's result doesn't
/// depend on its neighbours.
template <class F>
CPU_SIMD_INLINE Vec<float> with_large(const Vec<float>& x, const Vec<float>& result,
                                      const F& library) noexcept {
  const Mask<float> reduced = abs_of(x) <= splat(largest_reduced);
  if (xsimd::all(reduced)) return result;
  return select(reduced, result, lane_by_lane(x, [&](float v) {
                  return static_cast<float>(library(static_cast<double>(v)));
                }));
}

CPU_SIMD_INLINE double library_sin(double x) noexcept { return std::sin(x); }
CPU_SIMD_INLINE double library_cos(double x) noexcept { return std::cos(x); }

CPU_SIMD_INLINE Vec<float> sin_of(const Vec<float>& x) noexcept {
  const Reduced a = reduce_argument(x);
  return with_large(x, sin_reduced(a.r, a.q), library_sin);
}

CPU_SIMD_INLINE Vec<float> cos_of(const Vec<float>& x) noexcept {
  const Reduced a = reduce_argument(x);
  return with_large(x, sin_reduced(a.r, a.q + splat(1.0f)), library_cos);
}

CPU_SIMD_INLINE Vec<double> sin_of(const Vec<double>& x) noexcept {
  return lane_by_lane(x, library_sin);
}
CPU_SIMD_INLINE Vec<double> cos_of(const Vec<double>& x) noexcept {
  return lane_by_lane(x, library_cos);
}

}  // namespace cpu_simd::TL_ISA
