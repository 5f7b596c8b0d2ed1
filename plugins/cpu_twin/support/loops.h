#pragma once

#include <math.h>

// A function of support/ as a loop over the 32 lanes of a warp.

#define TWIN_1(R, T, NAME, RESULT)              \
  void __twin_##NAME##_32(R* out, const T* a) { \
    for (int i = 0; i < 32; ++i) {              \
      const T x = a[i];                         \
      out[i] = RESULT;                          \
    }                                           \
  }
#define TWIN_2(R, T, U, NAME, RESULT)                       \
  void __twin_##NAME##_32(R* out, const T* a, const U* b) { \
    for (int i = 0; i < 32; ++i) {                          \
      const T x = a[i];                                     \
      const U y = b[i];                                     \
      out[i] = RESULT;                                      \
    }                                                       \
  }
#define TWIN_3(T, NAME, RESULT)                                         \
  void __twin_##NAME##_32(T* out, const T* a, const T* b, const T* c) { \
    for (int i = 0; i < 32; ++i) {                                      \
      const T x = a[i], y = b[i], z = c[i];                             \
      out[i] = RESULT;                                                  \
    }                                                                   \
  }
#define TWIN_FLOAT_BY_DOUBLE(NAME, FUNCTION) \
  TWIN_1(float, float, NAME, static_cast<float>(FUNCTION(static_cast<double>(x))))

namespace twin {

/// lgamma that leaves signgam, which threads share, alone.
inline double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

/// The low bits of the quotient that remainder rounds to, with its sign.
inline int low_quotient(double x, double y) {
  int quotient = 0;
  (void)remquo(x, y, &quotient);
  return quotient < 0 ? -(-quotient & 7) : quotient & 7;
}

}  // namespace twin
