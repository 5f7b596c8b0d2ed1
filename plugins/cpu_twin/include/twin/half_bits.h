#pragma once

// float to and from the 16 bits of a half: an instruction on the device, integer arithmetic on the host.

namespace twin {

enum class Rounding { nearest, zero, up, down };

/// The host's way: the 24-bit significand is shifted into place and rounded once.
static inline unsigned short half_bits_by_hand(float value, Rounding rounding) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, value);
  const unsigned int sign = (bits >> 16) & 0x8000u;
  const unsigned int magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude == 0x7f800000u) return static_cast<unsigned short>(sign | 0x7c00u);
  const bool away =
      (rounding == Rounding::up && sign == 0) || (rounding == Rounding::down && sign != 0);
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent > 15) {
    const bool infinite = rounding == Rounding::nearest || away;
    return static_cast<unsigned short>(sign | (infinite ? 0x7c00u : 0x7bffu));
  }
  const unsigned int significand =
      (magnitude >> 23) == 0 ? magnitude & 0x7fffffu : (magnitude & 0x7fffffu) | 0x800000u;
  int shift = exponent < -14 ? 13 + (-14 - exponent) : 13;
  if (shift > 31) shift = 31;
  unsigned int kept = significand >> shift;
  const unsigned int lost = significand & ((1u << shift) - 1);
  const unsigned int halfway = 1u << (shift - 1);
  const bool nearest_up = lost > halfway || (lost == halfway && (kept & 1u) != 0);
  if (rounding == Rounding::nearest ? nearest_up : away && lost != 0) ++kept;
  const unsigned int biased = exponent < -14 ? 0 : static_cast<unsigned int>(exponent + 14) << 10;
  return static_cast<unsigned short>(sign |
                                     (biased + kept));  // a carry moves into the exponent, as it should
}

static inline float float_of_half_by_hand(unsigned short half) {
  const unsigned int sign = (half & 0x8000u) << 16;
  const unsigned int exponent = (half >> 10) & 0x1fu;
  const unsigned int fraction = half & 0x3ffu;
  if (exponent == 0x1f) return __builtin_bit_cast(float, sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return __builtin_bit_cast(float, sign | ((exponent + 112) << 23) | (fraction << 13));
}

#if defined(__CUDA_ARCH__)
#define TWIN_CVT(NAME, MODE)                                 \
  TWIN_D unsigned short NAME(float x) {                      \
    unsigned short r;                                        \
    asm("cvt." #MODE ".f16.f32 %0, %1;" : "=h"(r) : "f"(x)); \
    return r;                                                \
  }
TWIN_CVT(half_bits, rn)
TWIN_CVT(half_bits_rz, rz)
TWIN_CVT(half_bits_ru, rp)
TWIN_CVT(half_bits_rd, rm)
#undef TWIN_CVT
TWIN_D float float_of_half(unsigned short x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
  return r;
}
#endif
// Host code is parsed too when the device's is compiled.
static inline unsigned short half_bits(float x) { return half_bits_by_hand(x, Rounding::nearest); }
static inline unsigned short half_bits_rz(float x) { return half_bits_by_hand(x, Rounding::zero); }
static inline unsigned short half_bits_ru(float x) { return half_bits_by_hand(x, Rounding::up); }
static inline unsigned short half_bits_rd(float x) { return half_bits_by_hand(x, Rounding::down); }
static inline float float_of_half(unsigned short x) { return float_of_half_by_hand(x); }

/// A double as a float in which the last bit tells that something was lost, so that rounding on is as if once.
TWIN_HD float odd_float(double x) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  if (back == x || x != x || __builtin_fabsf(nearest) == __builtin_inff()) return nearest;
  unsigned int bits = __builtin_bit_cast(unsigned int, nearest);
  if ((bits & 1u) == 0) bits += (__builtin_fabs(back) < __builtin_fabs(x)) ? 1u : ~0u;
  return __builtin_bit_cast(float, bits);
}

}  // namespace twin
