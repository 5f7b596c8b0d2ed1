#pragma once

// __nv_bfloat16 and __nv_bfloat162, their operators and intrinsics. A bfloat16 is the upper half of a float.

#include "cuda_runtime.h"
#include "twin/half_bits.h"

namespace twin {

TWIN_HD unsigned short bfloat_bits(float x) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, x);
  if (x != x) return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
TWIN_HD float float_of_bfloat(unsigned short x) {
  return __builtin_bit_cast(float, static_cast<unsigned int>(x) << 16);
}

}  // namespace twin

#define TWIN_H __nv_bfloat16
#define TWIN_H2 __nv_bfloat162
#define TWIN_RAW __nv_bfloat16_raw
#define TWIN_RAW2 __nv_bfloat162_raw
#define TWIN_BITS twin::bfloat_bits
#define TWIN_VALUE twin::float_of_bfloat
#include "twin/small_float.h"
#undef TWIN_H
#undef TWIN_H2
#undef TWIN_RAW
#undef TWIN_RAW2
#undef TWIN_BITS
#undef TWIN_VALUE

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

TWIN_HD float __bfloat162float(__nv_bfloat16 a) { return twin::float_of_bfloat(a.__x); }
TWIN_HD __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
TWIN_HD __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
TWIN_HD __nv_bfloat16 __float2bfloat16_rz(float x) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, x);
  return __nv_bfloat16(__nv_bfloat16_raw{x != x ? static_cast<unsigned short>(0x7fff)
                                                : static_cast<unsigned short>(bits >> 16)});
}
TWIN_HD __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
TWIN_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
TWIN_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
TWIN_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
TWIN_HD __nv_bfloat162 __float2bfloat162_rn(float x) { return __bfloat162bfloat162(__nv_bfloat16(x)); }
TWIN_HD __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
TWIN_HD __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
TWIN_HD float2 __bfloat1622float2(__nv_bfloat162 a) {
  return make_float2(__low2float(a), __high2float(a));
}
TWIN_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
TWIN_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
TWIN_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
TWIN_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
TWIN_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
TWIN_HD short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
TWIN_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
TWIN_HD __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
TWIN_HD __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
TWIN_HD __nv_bfloat16 __uint2bfloat16_rn(unsigned int x) { return __nv_bfloat16(x); }
#if defined(__CUDA__)
TWIN_D int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn(__bfloat162float(a)); }
TWIN_D int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz(__bfloat162float(a)); }
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
