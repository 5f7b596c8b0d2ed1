#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "kernels/set.h"

#if !defined(__aarch64__)
#include <immintrin.h>
#endif

/// Registers of the instruction set being compiled for. xsimd gives the registers and the arithmetic;
/// what this file adds is the few things whose edge cases we want the same everywhere: partial loads,
/// max and min that keep NaN, rounding, bytes that are booleans.
namespace cpu_simd::TL_ISA {

#if defined(TL_ISA_avx512)
using Arch = xsimd::avx512bw;
#elif defined(TL_ISA_avx2)
using Arch = xsimd::fma3<xsimd::avx2>;
#elif defined(TL_ISA_sse2)
using Arch = xsimd::sse2;
#elif defined(TL_ISA_neon)
using Arch = xsimd::neon64;
#endif

/// Is there a fused multiply-add? Without one, fma() rounds twice.
#if defined(TL_ISA_sse2)
constexpr bool has_fma = false;
#else
constexpr bool has_fma = true;
#endif

template <class T> using Vec = xsimd::batch<T, Arch>;
template <class T> using Mask = xsimd::batch_bool<T, Arch>;
template <class T> constexpr int64_t lanes = static_cast<int64_t>(Vec<T>::size);

/// The integer of a float's size, for its bits.
template <class T> using BitsOf = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

template <class T> CPU_SIMD_INLINE Vec<T> splat(T x) noexcept { return Vec<T>(x); }

template <class T> CPU_SIMD_INLINE Vec<T> load(const T* p) noexcept {
  return Vec<T>::load_unaligned(p);
}

template <class T> CPU_SIMD_INLINE void store(T* p, const Vec<T>& v) noexcept { v.store_unaligned(p); }

/// The first n lanes, 0 < n < lanes; zeros above. Reads nothing beyond.
template <class T> CPU_SIMD_INLINE Vec<T> load_part(const T* p, int64_t n) noexcept {
#if defined(TL_ISA_avx512)
  const auto bits = (1u << n) - 1;
  if constexpr (std::is_same_v<T, float>) return _mm512_maskz_loadu_ps(static_cast<__mmask16>(bits), p);
  if constexpr (std::is_same_v<T, double>) return _mm512_maskz_loadu_pd(static_cast<__mmask8>(bits), p);
#elif defined(TL_ISA_avx2)
  const __m256i ramp =
      sizeof(T) == 4 ? _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) : _mm256_setr_epi64x(0, 1, 2, 3);
  if constexpr (std::is_same_v<T, float>)
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), ramp));
  if constexpr (std::is_same_v<T, double>)
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), ramp));
#endif
  alignas(64) T padded[lanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) padded[i] = p[i];
  return Vec<T>::load_aligned(padded);
}

/// Stores the first n lanes, 0 < n < lanes. Writes nothing beyond.
template <class T> CPU_SIMD_INLINE void store_part(T* p, const Vec<T>& v, int64_t n) noexcept {
#if defined(TL_ISA_avx512)
  const auto bits = (1u << n) - 1;
  if constexpr (std::is_same_v<T, float>)
    return _mm512_mask_storeu_ps(p, static_cast<__mmask16>(bits), v);
  if constexpr (std::is_same_v<T, double>)
    return _mm512_mask_storeu_pd(p, static_cast<__mmask8>(bits), v);
#elif defined(TL_ISA_avx2)
  const __m256i ramp =
      sizeof(T) == 4 ? _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) : _mm256_setr_epi64x(0, 1, 2, 3);
  if constexpr (std::is_same_v<T, float>)
    return _mm256_maskstore_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), ramp), v);
  if constexpr (std::is_same_v<T, double>)
    return _mm256_maskstore_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), ramp), v);
#endif
  alignas(64) T padded[lanes<T>];
  v.store_aligned(padded);
  for (int64_t i = 0; i < n; ++i) p[i] = padded[i];
}

/// a * b + c, rounded once where has_fma; a * b - c; c - a * b. (xsimd's have no AVX-512 form, and
/// not all of them one for NEON.)
#if defined(TL_ISA_avx512)
CPU_SIMD_INLINE Vec<float> fma(const Vec<float>& a, const Vec<float>& b, const Vec<float>& c) noexcept {
  return _mm512_fmadd_ps(a, b, c);
}
CPU_SIMD_INLINE Vec<float> fms(const Vec<float>& a, const Vec<float>& b, const Vec<float>& c) noexcept {
  return _mm512_fmsub_ps(a, b, c);
}
CPU_SIMD_INLINE Vec<float> fnma(const Vec<float>& a, const Vec<float>& b,
                                const Vec<float>& c) noexcept {
  return _mm512_fnmadd_ps(a, b, c);
}
CPU_SIMD_INLINE Vec<double> fma(const Vec<double>& a, const Vec<double>& b,
                                const Vec<double>& c) noexcept {
  return _mm512_fmadd_pd(a, b, c);
}
CPU_SIMD_INLINE Vec<double> fms(const Vec<double>& a, const Vec<double>& b,
                                const Vec<double>& c) noexcept {
  return _mm512_fmsub_pd(a, b, c);
}
CPU_SIMD_INLINE Vec<double> fnma(const Vec<double>& a, const Vec<double>& b,
                                 const Vec<double>& c) noexcept {
  return _mm512_fnmadd_pd(a, b, c);
}
#elif defined(TL_ISA_neon)
CPU_SIMD_INLINE Vec<float> fma(const Vec<float>& a, const Vec<float>& b, const Vec<float>& c) noexcept {
  return vfmaq_f32(c, a, b);
}
CPU_SIMD_INLINE Vec<float> fms(const Vec<float>& a, const Vec<float>& b, const Vec<float>& c) noexcept {
  return vfmaq_f32(vnegq_f32(c), a, b);
}
CPU_SIMD_INLINE Vec<float> fnma(const Vec<float>& a, const Vec<float>& b,
                                const Vec<float>& c) noexcept {
  return vfmsq_f32(c, a, b);
}
CPU_SIMD_INLINE Vec<double> fma(const Vec<double>& a, const Vec<double>& b,
                                const Vec<double>& c) noexcept {
  return vfmaq_f64(c, a, b);
}
CPU_SIMD_INLINE Vec<double> fms(const Vec<double>& a, const Vec<double>& b,
                                const Vec<double>& c) noexcept {
  return vfmaq_f64(vnegq_f64(c), a, b);
}
CPU_SIMD_INLINE Vec<double> fnma(const Vec<double>& a, const Vec<double>& b,
                                 const Vec<double>& c) noexcept {
  return vfmsq_f64(c, a, b);
}
#else
template <class T>
CPU_SIMD_INLINE Vec<T> fma(const Vec<T>& a, const Vec<T>& b, const Vec<T>& c) noexcept {
  return xsimd::fma(a, b, c);
}
template <class T>
CPU_SIMD_INLINE Vec<T> fms(const Vec<T>& a, const Vec<T>& b, const Vec<T>& c) noexcept {
  return xsimd::fms(a, b, c);
}
template <class T>
CPU_SIMD_INLINE Vec<T> fnma(const Vec<T>& a, const Vec<T>& b, const Vec<T>& c) noexcept {
  return xsimd::fnma(a, b, c);
}
#endif

template <class T>
CPU_SIMD_INLINE Vec<T> select(const Mask<T>& mask, const Vec<T>& yes, const Vec<T>& no) noexcept {
  return xsimd::select(mask, yes, no);
}

template <class T> CPU_SIMD_INLINE Mask<T> is_nan(const Vec<T>& x) noexcept { return xsimd::isnan(x); }

/// Is one of the two NaN?
#if defined(TL_ISA_avx512)
CPU_SIMD_INLINE Mask<float> either_nan(const Vec<float>& a, const Vec<float>& b) noexcept {
  return Mask<float>(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q));
}
CPU_SIMD_INLINE Mask<double> either_nan(const Vec<double>& a, const Vec<double>& b) noexcept {
  return Mask<double>(_mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q));
}
#elif defined(TL_ISA_avx2)
CPU_SIMD_INLINE Mask<float> either_nan(const Vec<float>& a, const Vec<float>& b) noexcept {
  return Mask<float>(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
CPU_SIMD_INLINE Mask<double> either_nan(const Vec<double>& a, const Vec<double>& b) noexcept {
  return Mask<double>(_mm256_cmp_pd(a, b, _CMP_UNORD_Q));
}
#else
template <class T> CPU_SIMD_INLINE Mask<T> either_nan(const Vec<T>& a, const Vec<T>& b) noexcept {
  return is_nan(a) | is_nan(b);
}
#endif

/// Not equal, which NaN is to everything. (xsimd's != takes NaN for equal to NaN.)
template <class T> CPU_SIMD_INLINE Mask<T> differs(const Vec<T>& a, const Vec<T>& b) noexcept {
  return ~(a == b);
}

/// The limit where x is beyond it, otherwise x, NaN included.
template <class T> CPU_SIMD_INLINE Vec<T> at_most(const Vec<T>& x, const Vec<T>& limit) noexcept {
#if defined(TL_ISA_neon)
  return select(x > limit, limit, x);
#else
  return xsimd::min(limit, x);  // the processor's rule: the second operand if either is NaN
#endif
}

template <class T> CPU_SIMD_INLINE Vec<T> at_least(const Vec<T>& x, const Vec<T>& limit) noexcept {
#if defined(TL_ISA_neon)
  return select(x < limit, limit, x);
#else
  return xsimd::max(limit, x);
#endif
}

/// The larger of both; NaN if either is.
template <class T> CPU_SIMD_INLINE Vec<T> maximum(const Vec<T>& a, const Vec<T>& b) noexcept {
  return select(is_nan(a), a, at_least(b, a));
}

template <class T> CPU_SIMD_INLINE Vec<T> minimum(const Vec<T>& a, const Vec<T>& b) noexcept {
  return select(is_nan(a), a, at_most(b, a));
}

/// a / b and the square root, rounded once. xsimd's float32 of NEON are the estimates that 32-bit processors had.
#if defined(TL_ISA_neon)
CPU_SIMD_INLINE Vec<float> quotient(const Vec<float>& a, const Vec<float>& b) noexcept {
  return vdivq_f32(a, b);
}
CPU_SIMD_INLINE Vec<double> quotient(const Vec<double>& a, const Vec<double>& b) noexcept {
  return vdivq_f64(a, b);
}
CPU_SIMD_INLINE Vec<float> sqrt_of(const Vec<float>& x) noexcept { return vsqrtq_f32(x); }
CPU_SIMD_INLINE Vec<double> sqrt_of(const Vec<double>& x) noexcept { return vsqrtq_f64(x); }
#else
template <class T> CPU_SIMD_INLINE Vec<T> quotient(const Vec<T>& a, const Vec<T>& b) noexcept {
  return a / b;
}
template <class T> CPU_SIMD_INLINE Vec<T> sqrt_of(const Vec<T>& x) noexcept { return xsimd::sqrt(x); }
#endif

/// All bits but the sign's. (xsimd's bitwise_andnot negates one operand or the other by architecture.)
template <class T> CPU_SIMD_INLINE Vec<T> magnitude_bits() noexcept {
  return xsimd::bitwise_cast<Vec<T>>(Vec<BitsOf<T>>(std::numeric_limits<BitsOf<T>>::max()));
}

template <class T> CPU_SIMD_INLINE Vec<T> abs_of(const Vec<T>& x) noexcept {
  return x & magnitude_bits<T>();
}

/// The sign flipped, of zero and NaN as well. (xsimd's minus takes x from 0.)
template <class T> CPU_SIMD_INLINE Vec<T> negative(const Vec<T>& x) noexcept {
  return x ^ splat(T(-0.0));
}

/// |magnitude| with the sign of `sign`.
template <class T>
CPU_SIMD_INLINE Vec<T> with_sign(const Vec<T>& magnitude, const Vec<T>& sign) noexcept {
  return (magnitude & magnitude_bits<T>()) | (sign & splat(T(-0.0)));
}

/// The sum of all lanes, halves first, so that the order doesn't depend on the register's width beyond
/// its own halving.
template <class T> CPU_SIMD_INLINE T sum_lanes(const Vec<T>& v) noexcept {
  alignas(64) T a[lanes<T>];
  v.store_aligned(a);
  for (int64_t half = lanes<T> / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i) a[i] += a[i + half];
  return a[0];
}

}  // namespace cpu_simd::TL_ISA
