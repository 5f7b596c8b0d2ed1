#pragma once

#include <bit>

#include "kernels/types.h"

/// float16 and bfloat16, to and from float32. Rounding is to nearest, halves to even; NaN stays NaN. All
/// of it is branch-free integer arithmetic, so that loops over it become vectors.
namespace cpu_simd::TL_ISA {

struct Half {
  uint16_t bits;
};

struct BHalf {
  uint16_t bits;
};

CPU_SIMD_INLINE float to_float(BHalf x) noexcept {
  return std::bit_cast<float>(uint32_t{x.bits} << 16);
}

CPU_SIMD_INLINE BHalf to_bfloat16(float x) noexcept {
  const uint32_t u = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return {static_cast<uint16_t>(x != x ? u >> 16 | 0x40 : rounded)};
}

/// The exponent moves from a bias of 15 to one of 127 by a multiplication, which is exact, for
/// subnormal numbers, too.
CPU_SIMD_INLINE float to_float(Half x) noexcept {
  const uint32_t magnitude = uint32_t{x.bits & 0x7fffu} << 13, sign = uint32_t{x.bits & 0x8000u} << 16;
  const uint32_t number = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const uint32_t beyond = magnitude | 0x7f800000;  // infinite or NaN
  return std::bit_cast<float>((magnitude >= 0x7c00u << 13 ? beyond : number) | sign);
}

/// Three ranges: subnormal results are rounded by adding a number whose last place is theirs, normal
/// ones by adding half a place (a carry goes into the exponent, up to infinity), larger ones are infinite.
CPU_SIMD_INLINE Half to_float16(float x) noexcept {
  const uint32_t u = std::bit_cast<uint32_t>(x), magnitude = u & 0x7fffffff, sign = u >> 16 & 0x8000;
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  const uint32_t beyond = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  const uint32_t half = magnitude < 113u << 23 ? small : magnitude < 143u << 23 ? normal : beyond;
  return {static_cast<uint16_t>(half | sign)};
}

/// A double as float32 for rounding on to a shorter type: what is cut off leaves a trace in the last
/// bit, so that the second rounding sees which side of a half it was on.
CPU_SIMD_INLINE float to_odd_float(double x) noexcept {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  const uint32_t u = std::bit_cast<uint32_t>(nearest);
  const bool too_large = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  const uint32_t odd = u & 1 ? u : too_large ? u - 1 : u + 1;
  return x != x || back == x ? nearest : std::bit_cast<float>(odd);
}

/// The same for int64 as a double.
CPU_SIMD_INLINE double to_odd_double(int64_t x) noexcept {
  const uint64_t u = static_cast<uint64_t>(x), magnitude = x < 0 ? 0 - u : u;
  const uint64_t cut = (magnitude >> 16 | ((magnitude & 0xffff) != 0)) << 16;
  const double value =
      static_cast<double>(static_cast<int64_t>(magnitude >> 40 ? cut >> 1 : magnitude));
  const double scaled = magnitude >> 40 ? 2 * value : value;
  return x < 0 ? -scaled : scaled;
}

}  // namespace cpu_simd::TL_ISA
