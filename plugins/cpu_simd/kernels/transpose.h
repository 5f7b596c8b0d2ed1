#pragma once

#include "kernels/simd.h"

/// Square blocks transposed in registers, lanes<T> by lanes<T>, for items of 4 and 8 bytes.
namespace cpu_simd::TL_ISA {

#if defined(TL_ISA_avx512)

CPU_SIMD_INLINE void transpose_registers(__m512 (&r)[16]) noexcept {
  __m512 t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      const __m512d a = _mm512_castps_pd(t[i + j]), b = _mm512_castps_pd(t[i + j + 2]);
      r[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
      r[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    }
  for (int i = 0; i < 16; i += 8)
    for (int j = 0; j < 4; ++j) {
      t[i + j] = _mm512_shuffle_f32x4(r[i + j], r[i + j + 4], 0x88);
      t[i + j + 4] = _mm512_shuffle_f32x4(r[i + j], r[i + j + 4], 0xdd);
    }
  for (int j = 0; j < 8; ++j) {
    r[j] = _mm512_shuffle_f32x4(t[j], t[j + 8], 0x88);
    r[j + 8] = _mm512_shuffle_f32x4(t[j], t[j + 8], 0xdd);
  }
}

CPU_SIMD_INLINE void transpose_registers(__m512d (&r)[8]) noexcept {
  __m512d t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      r[i + j] = _mm512_shuffle_f64x2(t[i + j], t[i + j + 2], 0x88);
      r[i + j + 2] = _mm512_shuffle_f64x2(t[i + j], t[i + j + 2], 0xdd);
    }
  for (int j = 0; j < 4; ++j) {
    t[j] = _mm512_shuffle_f64x2(r[j], r[j + 4], 0x88);
    t[j + 4] = _mm512_shuffle_f64x2(r[j], r[j + 4], 0xdd);
  }
  for (int j = 0; j < 8; ++j) r[j] = t[j];
}

#elif defined(TL_ISA_avx2)

CPU_SIMD_INLINE void transpose_registers(__m256 (&r)[8]) noexcept {
  __m256 t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      r[i + 2 * j] = _mm256_shuffle_ps(t[i + j], t[i + j + 2], 0x44);
      r[i + 2 * j + 1] = _mm256_shuffle_ps(t[i + j], t[i + j + 2], 0xee);
    }
  for (int j = 0; j < 4; ++j) {
    t[j] = _mm256_permute2f128_ps(r[j], r[j + 4], 0x20);
    t[j + 4] = _mm256_permute2f128_ps(r[j], r[j + 4], 0x31);
  }
  for (int j = 0; j < 8; ++j) r[j] = t[j];
}

CPU_SIMD_INLINE void transpose_registers(__m256d (&r)[4]) noexcept {
  __m256d t[4];
  for (int i = 0; i < 4; i += 2) {
    t[i] = _mm256_unpacklo_pd(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_pd(r[i], r[i + 1]);
  }
  for (int j = 0; j < 2; ++j) {
    r[j] = _mm256_permute2f128_pd(t[j], t[j + 2], 0x20);
    r[j + 2] = _mm256_permute2f128_pd(t[j], t[j + 2], 0x31);
  }
}

#else

template <class Register> CPU_SIMD_INLINE void transpose_registers(Register (&r)[4]) noexcept {
  const Vec<float> a = xsimd::zip_lo(Vec<float>(r[0]), Vec<float>(r[2]));
  const Vec<float> b = xsimd::zip_hi(Vec<float>(r[0]), Vec<float>(r[2]));
  const Vec<float> c = xsimd::zip_lo(Vec<float>(r[1]), Vec<float>(r[3]));
  const Vec<float> d = xsimd::zip_hi(Vec<float>(r[1]), Vec<float>(r[3]));
  r[0] = xsimd::zip_lo(a, c);
  r[1] = xsimd::zip_hi(a, c);
  r[2] = xsimd::zip_lo(b, d);
  r[3] = xsimd::zip_hi(b, d);
}

template <class Register> CPU_SIMD_INLINE void transpose_registers(Register (&r)[2]) noexcept {
  const Vec<double> a = xsimd::zip_lo(Vec<double>(r[0]), Vec<double>(r[1]));
  const Vec<double> b = xsimd::zip_hi(Vec<double>(r[0]), Vec<double>(r[1]));
  r[0] = a;
  r[1] = b;
}

#endif

/// Rows i of the target are columns i of the source, whose columns are contiguous and `column` bytes
/// apart. T stands for any type of its size.
template <class T>
CPU_SIMD_INLINE void transpose_block(char* target, int64_t pitch, const char* source,
                                     int64_t column) noexcept {
  typename Vec<T>::register_type r[lanes<T>];
  for (int i = 0; i < lanes<T>; ++i) r[i] = load(reinterpret_cast<const T*>(source + i * column));
  transpose_registers(r);
  for (int i = 0; i < lanes<T>; ++i) store(reinterpret_cast<T*>(target + i * pitch), Vec<T>(r[i]));
}

}  // namespace cpu_simd::TL_ISA
