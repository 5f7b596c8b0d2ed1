#pragma once

#include "kernels/types.h"

/// Masks from and to arrays of bool, one byte each.
namespace cpu_simd::TL_ISA {

#if defined(TL_ISA_avx512)

CPU_SIMD_INLINE Mask<float> mask_of(const uint8_t* p, float) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return Mask<float>(_mm_test_epi8_mask(bytes, bytes));
}

CPU_SIMD_INLINE Mask<double> mask_of(const uint8_t* p, double) noexcept {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return Mask<double>(static_cast<__mmask8>(_mm_test_epi8_mask(bytes, bytes)));
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<float>& mask) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_maskz_set1_epi8(mask, 1));
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<double>& mask) noexcept {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_maskz_set1_epi8(mask, 1));
}

#elif defined(TL_ISA_avx2)

CPU_SIMD_INLINE Mask<float> mask_of(const uint8_t* p, float) noexcept {
  const __m256i wide = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  return Mask<float>(_mm256_castsi256_ps(_mm256_cmpgt_epi32(wide, _mm256_setzero_si256())));
}

CPU_SIMD_INLINE Mask<double> mask_of(const uint8_t* p, double) noexcept {
  int32_t four;
  std::memcpy(&four, p, sizeof four);
  const __m256i wide = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
  return Mask<double>(_mm256_castsi256_pd(_mm256_cmpgt_epi64(wide, _mm256_setzero_si256())));
}

CPU_SIMD_INLINE void spread_bits(uint8_t* p, int bits, size_t count) noexcept {
  const uint64_t bytes = _pdep_u64(static_cast<uint64_t>(bits), 0x0101010101010101);
  std::memcpy(p, &bytes, count);
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<float>& mask) noexcept {
  spread_bits(p, _mm256_movemask_ps(mask), 8);
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<double>& mask) noexcept {
  spread_bits(p, _mm256_movemask_pd(mask), 4);
}

#elif defined(TL_ISA_sse2)

CPU_SIMD_INLINE __m128i truth_of(int32_t bytes) noexcept {
  const __m128i zero = _mm_setzero_si128();
  const __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), zero);
  return _mm_cmpgt_epi32(_mm_unpacklo_epi16(words, zero), zero);
}

CPU_SIMD_INLINE Mask<float> mask_of(const uint8_t* p, float) noexcept {
  int32_t four;
  std::memcpy(&four, p, sizeof four);
  return Mask<float>(_mm_castsi128_ps(truth_of(four)));
}

CPU_SIMD_INLINE Mask<double> mask_of(const uint8_t* p, double) noexcept {
  const __m128i two = truth_of(p[0] | p[1] << 8);
  return Mask<double>(_mm_castsi128_pd(_mm_unpacklo_epi32(two, two)));
}

/// Bit k goes to the lowest bit of byte k: no two of the shifted copies meet.
CPU_SIMD_INLINE uint32_t spread_bits(int bits) noexcept {
  return static_cast<uint32_t>(bits) * 0x00204081u & 0x01010101u;
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<float>& mask) noexcept {
  const uint32_t bytes = spread_bits(_mm_movemask_ps(mask));
  std::memcpy(p, &bytes, 4);
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<double>& mask) noexcept {
  const uint32_t bytes = spread_bits(_mm_movemask_pd(mask));
  std::memcpy(p, &bytes, 2);
}

#else

CPU_SIMD_INLINE Mask<float> mask_of(const uint8_t* p, float) noexcept {
  uint32_t wide[4];
  for (int i = 0; i < 4; ++i) wide[i] = p[i] ? ~0u : 0u;
  return Mask<float>(vld1q_u32(wide));
}

CPU_SIMD_INLINE Mask<double> mask_of(const uint8_t* p, double) noexcept {
  uint64_t wide[2];
  for (int i = 0; i < 2; ++i) wide[i] = p[i] ? ~uint64_t{0} : 0;
  return Mask<double>(vld1q_u64(wide));
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<float>& mask) noexcept {
  uint32_t wide[4];
  vst1q_u32(wide, mask);
  for (int i = 0; i < 4; ++i) p[i] = wide[i] & 1;
}

CPU_SIMD_INLINE void write_bools(uint8_t* p, const Mask<double>& mask) noexcept {
  uint64_t wide[2];
  vst1q_u64(wide, mask);
  for (int i = 0; i < 2; ++i) p[i] = wide[i] & 1;
}

#endif

/// lanes<T> bytes as a mask of T.
template <class T> CPU_SIMD_INLINE Mask<T> load_bools(const uint8_t* p) noexcept {
  return mask_of(p, T{});
}

template <class T> CPU_SIMD_INLINE void store_bools(uint8_t* p, const Mask<T>& mask) noexcept {
  write_bools(p, mask);
}

/// The first n, 0 < n < lanes.
template <class T> CPU_SIMD_INLINE Mask<T> load_bools_part(const uint8_t* p, int64_t n) noexcept {
  uint8_t padded[lanes<T>] = {};
  for (int64_t i = 0; i < n; ++i) padded[i] = p[i];
  return mask_of(padded, T{});
}

template <class T>
CPU_SIMD_INLINE void store_bools_part(uint8_t* p, const Mask<T>& mask, int64_t n) noexcept {
  uint8_t padded[lanes<T>];
  write_bools(padded, mask);
  for (int64_t i = 0; i < n; ++i) p[i] = padded[i];
}

}  // namespace cpu_simd::TL_ISA
