#pragma once

#include "kernels/simd.h"

/// float32 registers as two float64 registers, and back.
namespace cpu_simd::TL_ISA {

struct Wide {
  Vec<double> low, high;
};

#if defined(TL_ISA_avx512)

CPU_SIMD_INLINE Wide widen(const Vec<float>& x) noexcept {
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))};
}
CPU_SIMD_INLINE Vec<float> narrow(const Wide& x) noexcept {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(x.low)), _mm512_cvtpd_ps(x.high), 1);
}

#elif defined(TL_ISA_avx2)

CPU_SIMD_INLINE Wide widen(const Vec<float>& x) noexcept {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}
CPU_SIMD_INLINE Vec<float> narrow(const Wide& x) noexcept {
  return _mm256_set_m128(_mm256_cvtpd_ps(x.high), _mm256_cvtpd_ps(x.low));
}

#elif defined(TL_ISA_sse2)

CPU_SIMD_INLINE Wide widen(const Vec<float>& x) noexcept {
  return {_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x))};
}
CPU_SIMD_INLINE Vec<float> narrow(const Wide& x) noexcept {
  return _mm_movelh_ps(_mm_cvtpd_ps(x.low), _mm_cvtpd_ps(x.high));
}

#else

CPU_SIMD_INLINE Wide widen(const Vec<float>& x) noexcept {
  return {vcvt_f64_f32(vget_low_f32(x)), vcvt_high_f64_f32(x)};
}
CPU_SIMD_INLINE Vec<float> narrow(const Wide& x) noexcept {
  return vcvt_high_f32_f64(vcvt_f32_f64(x.low), x.high);
}

#endif

}  // namespace cpu_simd::TL_ISA
