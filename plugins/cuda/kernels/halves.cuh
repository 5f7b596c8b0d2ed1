#pragma once

#include "types.cuh"

/// float16 and bfloat16, to and from float32: rounded to nearest, halves to even, NaN stays NaN.
namespace kernels {

struct Half {
  uint16_t bits;
};

struct BHalf {
  uint16_t bits;
};

TL_DEVICE float to_float(float x) { return x; }
TL_DEVICE float to_float(BHalf x) { return bits_as<float>(uint32_t{x.bits} << 16); }

TL_DEVICE BHalf to_bfloat16(float x) {
  const uint32_t u = bits_as<uint32_t>(x), rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
  return {static_cast<uint16_t>(x != x ? u >> 16 | 0x40 : rounded)};
}

#if TL_ON_DEVICE

TL_DEVICE float to_float(Half x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}

TL_DEVICE Half to_float16(float x) {
  Half result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
}

#else

/// The exponent moves from a bias of 15 to one of 127 by a multiplication, which is exact.
TL_DEVICE float to_float(Half x) {
  const uint32_t magnitude = (x.bits & 0x7fffu) << 13, sign = (x.bits & 0x8000u) << 16;
  const uint32_t number = bits_as<uint32_t>(bits_as<float>(magnitude) * 5.192296858534828e33f);
  return bits_as<float>((magnitude >= 0x7c00u << 13 ? magnitude | 0x7f800000u : number) | sign);
}

/// Subnormal results are rounded by adding a number whose last place is theirs, normal ones by adding half a
/// place, larger ones are infinite.
TL_DEVICE Half to_float16(float x) {
  const uint32_t u = bits_as<uint32_t>(x), magnitude = u & 0x7fffffffu, sign = u >> 16 & 0x8000u;
  const uint32_t small = bits_as<uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  const uint32_t beyond = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const uint32_t half = magnitude < 113u << 23 ? small : magnitude < 143u << 23 ? normal : beyond;
  return {static_cast<uint16_t>(half | sign)};
}

#endif

/// A double as float32 for rounding on to a shorter type: what is cut off leaves a trace in the last bit, so
/// that the second rounding sees which side of a half it was on.
TL_DEVICE float to_odd_float(double x) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  const uint32_t u = bits_as<uint32_t>(nearest);
  const bool too_large = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  const uint32_t odd = u & 1 ? u : too_large ? u - 1 : u + 1;
  return x != x || back == x ? nearest : bits_as<float>(odd);
}

/// The same for int64 as a double.
TL_DEVICE double to_odd_double(int64_t x) {
  const uint64_t u = static_cast<uint64_t>(x), magnitude = x < 0 ? 0 - u : u;
  const uint64_t cut = (magnitude >> 16 | ((magnitude & 0xffff) != 0)) << 16;
  const double value =
      static_cast<double>(static_cast<int64_t>(magnitude >> 40 ? cut >> 1 : magnitude));
  const double scaled = magnitude >> 40 ? 2 * value : value;
  return x < 0 ? -scaled : scaled;
}

}  // namespace kernels
