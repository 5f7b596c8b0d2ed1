#pragma once

// __half and __half2, their operators and intrinsics.

#include "cuda_runtime.h"
#include "twin/half_bits.h"

#define TWIN_H __half
#define TWIN_H2 __half2
#define TWIN_RAW __half_raw
#define TWIN_RAW2 __half2_raw
#define TWIN_BITS twin::half_bits
#define TWIN_VALUE twin::float_of_half
#include "twin/small_float.h"
#undef TWIN_H
#undef TWIN_H2
#undef TWIN_RAW
#undef TWIN_RAW2
#undef TWIN_BITS
#undef TWIN_VALUE

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

TWIN_HD float __half2float(__half a) { return twin::float_of_half(a.__x); }
TWIN_HD __half __float2half(float x) { return __half(x); }
TWIN_HD __half __float2half_rn(float x) { return __half(x); }
TWIN_HD __half __float2half_rz(float x) { return __half(__half_raw{twin::half_bits_rz(x)}); }
TWIN_HD __half __float2half_ru(float x) { return __half(__half_raw{twin::half_bits_ru(x)}); }
TWIN_HD __half __float2half_rd(float x) { return __half(__half_raw{twin::half_bits_rd(x)}); }
TWIN_HD __half __double2half(double x) { return __half(x); }
TWIN_HD __half2 make_half2(__half x, __half y) { return __half2(x, y); }
TWIN_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
TWIN_HD __half2 __half2half2(__half a) { return __half2(a, a); }
TWIN_HD __half2 __float2half2_rn(float x) { return __half2half2(__half(x)); }
TWIN_HD __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
TWIN_HD __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
TWIN_HD float2 __half22float2(__half2 a) { return make_float2(__low2float(a), __high2float(a)); }
TWIN_HD __half __low2half(__half2 a) { return a.x; }
TWIN_HD __half __high2half(__half2 a) { return a.y; }
TWIN_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
TWIN_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
TWIN_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
TWIN_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

TWIN_HD unsigned short __half_as_ushort(__half a) { return a.__x; }
TWIN_HD short __half_as_short(__half a) { return static_cast<short>(a.__x); }
TWIN_HD __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
TWIN_HD __half __short_as_half(short bits) {
  return __ushort_as_half(static_cast<unsigned short>(bits));
}

TWIN_HD __half __int2half_rn(int x) { return __half(x); }
TWIN_HD __half __uint2half_rn(unsigned int x) { return __half(x); }
TWIN_HD __half __short2half_rn(short x) { return __half(x); }
TWIN_HD __half __ushort2half_rn(unsigned short x) { return __half(x); }
TWIN_HD __half __ll2half_rn(long long x) { return __half(x); }
#if defined(__CUDA__)
TWIN_D int __half2int_rn(__half a) { return __float2int_rn(__half2float(a)); }
TWIN_D int __half2int_rz(__half a) { return __float2int_rz(__half2float(a)); }
TWIN_D int __half2int_ru(__half a) { return __float2int_ru(__half2float(a)); }
TWIN_D int __half2int_rd(__half a) { return __float2int_rd(__half2float(a)); }
TWIN_D unsigned int __half2uint_rn(__half a) { return __float2uint_rn(__half2float(a)); }
TWIN_D unsigned int __half2uint_rz(__half a) { return __float2uint_rz(__half2float(a)); }
#endif

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
