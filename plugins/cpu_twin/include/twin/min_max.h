#pragma once

// min and max of CUDA, for host code too. Mixed signs compare as C++ would.

#define TWIN_MIN_MAX(T)                             \
  TWIN_HD T min(T x, T y) { return y < x ? y : x; } \
  TWIN_HD T max(T x, T y) { return x < y ? y : x; }
TWIN_MIN_MAX(int)
TWIN_MIN_MAX(unsigned int)
TWIN_MIN_MAX(long)
TWIN_MIN_MAX(unsigned long)
TWIN_MIN_MAX(long long)
TWIN_MIN_MAX(unsigned long long)
#undef TWIN_MIN_MAX

#define TWIN_MIN_MAX(T, U, R)                                                   \
  TWIN_HD R min(T x, U y) { return min(static_cast<R>(x), static_cast<R>(y)); } \
  TWIN_HD R max(T x, U y) { return max(static_cast<R>(x), static_cast<R>(y)); }
TWIN_MIN_MAX(int, unsigned int, unsigned int)
TWIN_MIN_MAX(unsigned int, int, unsigned int)
TWIN_MIN_MAX(long, unsigned long, unsigned long)
TWIN_MIN_MAX(unsigned long, long, unsigned long)
TWIN_MIN_MAX(long long, unsigned long long, unsigned long long)
TWIN_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef TWIN_MIN_MAX

TWIN_HD float min(float x, float y) { return __builtin_fminf(x, y); }
TWIN_HD float max(float x, float y) { return __builtin_fmaxf(x, y); }
TWIN_HD double min(double x, double y) { return __builtin_fmin(x, y); }
TWIN_HD double max(double x, double y) { return __builtin_fmax(x, y); }
TWIN_HD double min(float x, double y) { return __builtin_fmin(x, y); }
TWIN_HD double max(float x, double y) { return __builtin_fmax(x, y); }
TWIN_HD double min(double x, float y) { return __builtin_fmin(x, y); }
TWIN_HD double max(double x, float y) { return __builtin_fmax(x, y); }

TWIN_D unsigned int umin(unsigned int x, unsigned int y) { return min(x, y); }
TWIN_D unsigned int umax(unsigned int x, unsigned int y) { return max(x, y); }
TWIN_D long long llmin(long long x, long long y) { return min(x, y); }
TWIN_D long long llmax(long long x, long long y) { return max(x, y); }
TWIN_D unsigned long long ullmin(unsigned long long x, unsigned long long y) { return min(x, y); }
TWIN_D unsigned long long ullmax(unsigned long long x, unsigned long long y) { return max(x, y); }
