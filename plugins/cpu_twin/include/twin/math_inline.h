#pragma once
#pragma GCC system_header

// Math that is one instruction or a short sequence of them.

TWIN_D float fabsf(float x) { return __builtin_fabsf(x); }
TWIN_D float fabs(float x) { return __builtin_fabsf(x); }
TWIN_D double fabs(double x) { return __builtin_fabs(x); }
TWIN_D float floorf(float x) { return __builtin_floorf(x); }
TWIN_D float floor(float x) { return __builtin_floorf(x); }
TWIN_D double floor(double x) { return __builtin_floor(x); }
TWIN_D float ceilf(float x) { return __builtin_ceilf(x); }
TWIN_D float ceil(float x) { return __builtin_ceilf(x); }
TWIN_D double ceil(double x) { return __builtin_ceil(x); }
TWIN_D float truncf(float x) { return __builtin_truncf(x); }
TWIN_D float trunc(float x) { return __builtin_truncf(x); }
TWIN_D double trunc(double x) { return __builtin_trunc(x); }
TWIN_D float rintf(float x) { return __builtin_rintf(x); }
TWIN_D float rint(float x) { return __builtin_rintf(x); }
TWIN_D double rint(double x) { return __builtin_rint(x); }
TWIN_D float nearbyintf(float x) { return __builtin_nearbyintf(x); }
TWIN_D float nearbyint(float x) { return __builtin_nearbyintf(x); }
TWIN_D double nearbyint(double x) { return __builtin_nearbyint(x); }
TWIN_D float roundf(float x) { return __builtin_roundf(x); }
TWIN_D float round(float x) { return __builtin_roundf(x); }
TWIN_D double round(double x) { return __builtin_round(x); }
TWIN_D float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
TWIN_D float sqrt(float x) { return __nvvm_sqrt_rn_f(x); }
TWIN_D double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
TWIN_D float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
TWIN_D float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
TWIN_D double rsqrt(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }

TWIN_D float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TWIN_D float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
TWIN_D double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
TWIN_D float fminf(float x, float y) { return __builtin_fminf(x, y); }
TWIN_D float fmin(float x, float y) { return __builtin_fminf(x, y); }
TWIN_D double fmin(double x, double y) { return __builtin_fmin(x, y); }
TWIN_D float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
TWIN_D float fmax(float x, float y) { return __builtin_fmaxf(x, y); }
TWIN_D double fmax(double x, double y) { return __builtin_fmax(x, y); }
TWIN_D float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
TWIN_D float copysign(float x, float y) { return __builtin_copysignf(x, y); }
TWIN_D double copysign(double x, double y) { return __builtin_copysign(x, y); }

TWIN_D bool isnan(float x) { return x != x; }
TWIN_D bool isnan(double x) { return x != x; }
TWIN_D bool isinf(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
TWIN_D bool isinf(double x) { return __builtin_fabs(x) == __builtin_inf(); }
TWIN_D bool isfinite(float x) { return __builtin_fabsf(x) < __builtin_inff(); }
TWIN_D bool isfinite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
TWIN_D bool isnormal(float x) { return isfinite(x) && __builtin_fabsf(x) >= 0x1p-126f; }
TWIN_D bool isnormal(double x) { return isfinite(x) && __builtin_fabs(x) >= 0x1p-1022; }
TWIN_D bool signbit(float x) { return __float_as_int(x) < 0; }
TWIN_D bool signbit(double x) { return __double_as_longlong(x) < 0; }
TWIN_D float nanf(const char*) { return __int_as_float(0x7fffffff); }
TWIN_D double nan(const char*) { return __longlong_as_double(0x7fffffffffffffffll); }

TWIN_D int abs(int x) { return x < 0 ? static_cast<int>(0u - static_cast<unsigned int>(x)) : x; }
TWIN_D long abs(long x) { return x < 0 ? static_cast<long>(0ul - static_cast<unsigned long>(x)) : x; }
TWIN_D long long abs(long long x) {
  return x < 0 ? static_cast<long long>(0ull - static_cast<unsigned long long>(x)) : x;
}
TWIN_D long labs(long x) { return abs(x); }
TWIN_D long long llabs(long long x) { return abs(x); }
TWIN_D float abs(float x) { return __builtin_fabsf(x); }
TWIN_D double abs(double x) { return __builtin_fabs(x); }

TWIN_D float fdimf(float x, float y) { return x > y ? x - y : (x <= y ? 0 : x + y); }
TWIN_D float fdim(float x, float y) { return fdimf(x, y); }
TWIN_D double fdim(double x, double y) { return x > y ? x - y : (x <= y ? 0 : x + y); }
TWIN_D float modff(float x, float* whole) {
  *whole = trunc(x);
  return copysign(isinf(x) ? 0 : x - *whole, x);
}
TWIN_D float modf(float x, float* whole) { return modff(x, whole); }
TWIN_D double modf(double x, double* whole) {
  *whole = trunc(x);
  return copysign(isinf(x) ? 0 : x - *whole, x);
}
TWIN_D float scalbnf(float x, int n) { return ldexpf(x, n); }
TWIN_D float scalbn(float x, int n) { return scalbnf(x, n); }
TWIN_D double scalbn(double x, int n) { return ldexp(x, n); }
TWIN_D float scalblnf(float x, long n) {
  return ldexpf(x, n > 100000 ? 100000 : (n < -100000 ? -100000 : static_cast<int>(n)));
}
TWIN_D float scalbln(float x, long n) { return scalblnf(x, n); }
TWIN_D double scalbln(double x, long n) {
  return ldexp(x, n > 100000 ? 100000 : (n < -100000 ? -100000 : static_cast<int>(n)));
}
TWIN_D float remquof(float x, float y, int* quotient) {
  *quotient = __twin_remquo_quotientf(x, y);
  return remainderf(x, y);
}
TWIN_D float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
TWIN_D double remquo(double x, double y, int* quotient) {
  *quotient = __twin_remquo_quotient(x, y);
  return remainder(x, y);
}
TWIN_D float frexpf(float x, int* exponent) {
  const bool special = x == 0 || !isfinite(x);
  *exponent = special ? 0 : ilogbf(x) + 1;
  return special ? x : ldexpf(x, -*exponent);
}
TWIN_D float frexp(float x, int* exponent) { return frexpf(x, exponent); }
TWIN_D double frexp(double x, int* exponent) {
  const bool special = x == 0 || !isfinite(x);
  *exponent = special ? 0 : ilogb(x) + 1;
  return special ? x : ldexp(x, -*exponent);
}
TWIN_D long lrintf(float x) { return __nvvm_f2ll_rn(x); }
TWIN_D long lrint(float x) { return __nvvm_f2ll_rn(x); }
TWIN_D long lrint(double x) { return __nvvm_d2ll_rn(x); }
TWIN_D long long llrintf(float x) { return __nvvm_f2ll_rn(x); }
TWIN_D long long llrint(float x) { return __nvvm_f2ll_rn(x); }
TWIN_D long long llrint(double x) { return __nvvm_d2ll_rn(x); }
TWIN_D long lroundf(float x) { return __nvvm_f2ll_rz(round(x)); }
TWIN_D long lround(float x) { return __nvvm_f2ll_rz(round(x)); }
TWIN_D long lround(double x) { return __nvvm_d2ll_rz(round(x)); }
TWIN_D long long llroundf(float x) { return __nvvm_f2ll_rz(round(x)); }
TWIN_D long long llround(float x) { return __nvvm_f2ll_rz(round(x)); }
TWIN_D long long llround(double x) { return __nvvm_d2ll_rz(round(x)); }

TWIN_D void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
TWIN_D void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
TWIN_D void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
TWIN_D void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
TWIN_D void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
TWIN_D void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
TWIN_D float norm4df(float a, float b, float c, float d) { return hypotf(norm3df(a, b, c), d); }
TWIN_D float norm4d(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
TWIN_D double norm4d(double a, double b, double c, double d) { return hypot(norm3d(a, b, c), d); }
TWIN_D float rnorm4df(float a, float b, float c, float d) { return 1 / norm4df(a, b, c, d); }
TWIN_D float rnorm4d(float a, float b, float c, float d) { return rnorm4df(a, b, c, d); }
TWIN_D double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
TWIN_D float normf(int dim, const float* p) {
  float sum = 0;
  for (int i = 0; i < dim; ++i) sum = hypotf(sum, p[i]);
  return sum;
}
TWIN_D double norm(int dim, const double* p) {
  double sum = 0;
  for (int i = 0; i < dim; ++i) sum = hypot(sum, p[i]);
  return sum;
}
TWIN_D float rnormf(int dim, const float* p) { return 1 / normf(dim, p); }
TWIN_D double rnorm(int dim, const double* p) { return 1 / norm(dim, p); }
