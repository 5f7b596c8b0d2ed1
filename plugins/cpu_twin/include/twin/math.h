#pragma once
#pragma GCC system_header  // or clang refuses that these overload the constexpr functions of <cmath>

// The CUDA math API for float and double: what is one instruction or a few is written here, the rest calls out to
// functions that the engine binds to support/ (math_list.h).

#include "math_list.h"

#define TWIN_CALL extern "C" __device__ __attribute__((const))

#define TWIN_X(NAME)                                            \
  TWIN_CALL float __twin_##NAME##f(float);                      \
  TWIN_CALL double __twin_##NAME(double);                       \
  TWIN_D float NAME##f(float x) { return __twin_##NAME##f(x); } \
  TWIN_D float NAME(float x) { return __twin_##NAME##f(x); }    \
  TWIN_D double NAME(double x) { return __twin_##NAME(x); }
TWIN_MATH_STD_1(TWIN_X)
TWIN_MATH_CUDA_1(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                        \
  TWIN_CALL float __twin_##NAME##f(float, float);                           \
  TWIN_CALL double __twin_##NAME(double, double);                           \
  TWIN_D float NAME##f(float x, float y) { return __twin_##NAME##f(x, y); } \
  TWIN_D float NAME(float x, float y) { return __twin_##NAME##f(x, y); }    \
  TWIN_D double NAME(double x, double y) { return __twin_##NAME(x, y); }
TWIN_MATH_STD_2(TWIN_X)
TWIN_MATH_CUDA_2(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                                    \
  TWIN_CALL float __twin_##NAME##f(float, float, float);                                \
  TWIN_CALL double __twin_##NAME(double, double, double);                               \
  TWIN_D float NAME##f(float x, float y, float z) { return __twin_##NAME##f(x, y, z); } \
  TWIN_D float NAME(float x, float y, float z) { return __twin_##NAME##f(x, y, z); }    \
  TWIN_D double NAME(double x, double y, double z) { return __twin_##NAME(x, y, z); }
TWIN_MATH_3(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                      \
  TWIN_CALL float __twin_##NAME##f(int, float);                           \
  TWIN_CALL double __twin_##NAME(int, double);                            \
  TWIN_D float NAME##f(int n, float x) { return __twin_##NAME##f(n, x); } \
  TWIN_D float NAME(int n, float x) { return __twin_##NAME##f(n, x); }    \
  TWIN_D double NAME(int n, double x) { return __twin_##NAME(n, x); }
TWIN_MATH_INT_FIRST(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                      \
  TWIN_CALL float __twin_##NAME##f(float, int);                           \
  TWIN_CALL double __twin_##NAME(double, int);                            \
  TWIN_D float NAME##f(float x, int n) { return __twin_##NAME##f(x, n); } \
  TWIN_D float NAME(float x, int n) { return __twin_##NAME##f(x, n); }    \
  TWIN_D double NAME(double x, int n) { return __twin_##NAME(x, n); }
TWIN_MATH_INT_SECOND(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                          \
  TWIN_CALL int __twin_##NAME##f(float);                      \
  TWIN_CALL int __twin_##NAME(double);                        \
  TWIN_D int NAME##f(float x) { return __twin_##NAME##f(x); } \
  TWIN_D int NAME(float x) { return __twin_##NAME##f(x); }    \
  TWIN_D int NAME(double x) { return __twin_##NAME(x); }
TWIN_MATH_TO_INT(TWIN_X)
#undef TWIN_X

TWIN_CALL int __twin_remquo_quotientf(float, float);
TWIN_CALL int __twin_remquo_quotient(double, double);
#undef TWIN_CALL

// Each builds on those before it.
// clang-format off
#include "math_inline.h"
#include "math_fast.h"
#include "math_integers.h"
#include "math_std.h"
// clang-format on
