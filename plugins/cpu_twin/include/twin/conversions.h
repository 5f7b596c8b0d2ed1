#pragma once

// Conversions with a named rounding, and the bits of one type read as another.

TWIN_D int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
TWIN_D unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
TWIN_D float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
TWIN_D float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
TWIN_D long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
TWIN_D double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
TWIN_D int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
TWIN_D int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
TWIN_D double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned int>(low));
}

// PTX names the directions rm (minus) and rp (plus).
#define TWIN_CONVERT_1(NAME, TO, FROM, BUILTIN, ROUNDING, PTX) \
  TWIN_D TO NAME##_##ROUNDING(FROM x) { return __nvvm_##BUILTIN##_##PTX(x); }
#define TWIN_CONVERT(NAME, TO, FROM, BUILTIN)     \
  TWIN_CONVERT_1(NAME, TO, FROM, BUILTIN, rn, rn) \
  TWIN_CONVERT_1(NAME, TO, FROM, BUILTIN, rz, rz) \
  TWIN_CONVERT_1(NAME, TO, FROM, BUILTIN, ru, rp) \
  TWIN_CONVERT_1(NAME, TO, FROM, BUILTIN, rd, rm)

TWIN_CONVERT(__float2int, int, float, f2i)
TWIN_CONVERT(__int2float, float, int, i2f)
TWIN_CONVERT(__double2int, int, double, d2i)
TWIN_CONVERT(__float2uint, unsigned int, float, f2ui)
TWIN_CONVERT(__uint2float, float, unsigned int, ui2f)
TWIN_CONVERT(__double2uint, unsigned int, double, d2ui)
TWIN_CONVERT(__float2ll, long long, float, f2ll)
TWIN_CONVERT(__ll2float, float, long long, ll2f)
TWIN_CONVERT(__double2ll, long long, double, d2ll)
TWIN_CONVERT(__ll2double, double, long long, ll2d)
TWIN_CONVERT(__float2ull, unsigned long long, float, f2ull)
TWIN_CONVERT(__ull2float, float, unsigned long long, ull2f)
TWIN_CONVERT(__double2ull, unsigned long long, double, d2ull)
TWIN_CONVERT(__ull2double, double, unsigned long long, ull2d)
TWIN_CONVERT(__double2float, float, double, d2f)
#undef TWIN_CONVERT
#undef TWIN_CONVERT_1

TWIN_D double __int2double_rn(int x) { return x; }
TWIN_D double __uint2double_rn(unsigned int x) { return x; }
