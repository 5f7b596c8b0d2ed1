// The double functions: the C library's.

#include <math.h>
#include <stdint.h>

#include "loops.h"

#define TWIN_LIBRARY(NAME) TWIN_1(double, double, NAME, NAME(x))

extern "C" {

TWIN_LIBRARY(acos)
TWIN_LIBRARY(acosh)
TWIN_LIBRARY(asin)
TWIN_LIBRARY(asinh)
TWIN_LIBRARY(atan)
TWIN_LIBRARY(atanh)
TWIN_LIBRARY(cbrt)
TWIN_LIBRARY(cos)
TWIN_LIBRARY(cosh)
TWIN_LIBRARY(erf)
TWIN_LIBRARY(erfc)
TWIN_LIBRARY(exp)
TWIN_LIBRARY(exp2)
TWIN_LIBRARY(expm1)
TWIN_LIBRARY(log)
TWIN_LIBRARY(log10)
TWIN_LIBRARY(log1p)
TWIN_LIBRARY(log2)
TWIN_LIBRARY(logb)
TWIN_LIBRARY(sin)
TWIN_LIBRARY(sinh)
TWIN_LIBRARY(tan)
TWIN_LIBRARY(tanh)
TWIN_LIBRARY(tgamma)
TWIN_LIBRARY(j0)
TWIN_LIBRARY(j1)
TWIN_LIBRARY(y0)
TWIN_LIBRARY(y1)
TWIN_1(double, double, exp10, pow(10.0, x))
TWIN_1(double, double, lgamma, twin::log_gamma(x))
TWIN_1(int32_t, double, ilogb, ilogb(x))

TWIN_2(double, double, double, atan2, atan2(x, y))
TWIN_2(double, double, double, fmod, fmod(x, y))
TWIN_2(double, double, double, hypot, hypot(x, y))
TWIN_2(double, double, double, nextafter, nextafter(x, y))
TWIN_2(double, double, double, pow, pow(x, y))
TWIN_2(double, double, double, remainder, remainder(x, y))
TWIN_2(double, double, int32_t, ldexp, ldexp(x, y))
TWIN_2(double, int32_t, double, jn, jn(x, y))
TWIN_2(double, int32_t, double, yn, yn(x, y))
TWIN_2(int32_t, double, double, remquo_quotient, twin::low_quotient(x, y))

}  // extern "C"
