#pragma once

#include "kernels/simd.h"

/// To whole numbers, keeping the sign of zero, infinities and NaN.
namespace cpu_simd::TL_ISA {

#if defined(TL_ISA_sse2)

/// Without an instruction for it: adding and subtracting the number whose last place is 1 rounds to
/// the nearest whole number, halves to even. What is as large as that is whole already.
template <class T> CPU_SIMD_INLINE Vec<T> round_of(const Vec<T>& x) noexcept {
  const Vec<T> whole = splat(sizeof(T) == 4 ? T(0x1p23) : T(0x1p52));
  const Vec<T> magnitude = abs_of(x);
  return select(magnitude < whole, with_sign((magnitude + whole) - whole, x), x);
}

template <class T> CPU_SIMD_INLINE Vec<T> floor_of(const Vec<T>& x) noexcept {
  const Vec<T> r = round_of(x);
  return with_sign(select(r > x, r - splat(T(1)), r), x);
}

template <class T> CPU_SIMD_INLINE Vec<T> ceil_of(const Vec<T>& x) noexcept {
  const Vec<T> r = round_of(x);
  return with_sign(select(r < x, r + splat(T(1)), r), x);
}

#elif defined(TL_ISA_neon)

CPU_SIMD_INLINE Vec<float> round_of(const Vec<float>& x) noexcept { return vrndnq_f32(x); }
CPU_SIMD_INLINE Vec<float> floor_of(const Vec<float>& x) noexcept { return vrndmq_f32(x); }
CPU_SIMD_INLINE Vec<float> ceil_of(const Vec<float>& x) noexcept { return vrndpq_f32(x); }
CPU_SIMD_INLINE Vec<double> round_of(const Vec<double>& x) noexcept { return vrndnq_f64(x); }
CPU_SIMD_INLINE Vec<double> floor_of(const Vec<double>& x) noexcept { return vrndmq_f64(x); }
CPU_SIMD_INLINE Vec<double> ceil_of(const Vec<double>& x) noexcept { return vrndpq_f64(x); }

#else

/// xsimd takes the processor's instruction here. nearbyint rounds halves to even in the mode that
/// everyone runs in.
template <class T> CPU_SIMD_INLINE Vec<T> round_of(const Vec<T>& x) noexcept {
  return xsimd::nearbyint(x);
}
template <class T> CPU_SIMD_INLINE Vec<T> floor_of(const Vec<T>& x) noexcept { return xsimd::floor(x); }
template <class T> CPU_SIMD_INLINE Vec<T> ceil_of(const Vec<T>& x) noexcept { return xsimd::ceil(x); }

#endif

}  // namespace cpu_simd::TL_ISA
