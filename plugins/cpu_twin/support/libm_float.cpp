// The float functions that nothing here is faster for: the C library's in double, rounded once. Those that are
// exact, or whose result depends on the type, are the C library's for float.

#include <math.h>
#include <stdint.h>

#include "loops.h"

extern "C" {

TWIN_FLOAT_BY_DOUBLE(acosf, acos)
TWIN_FLOAT_BY_DOUBLE(acoshf, acosh)
TWIN_FLOAT_BY_DOUBLE(asinf, asin)
TWIN_FLOAT_BY_DOUBLE(asinhf, asinh)
TWIN_FLOAT_BY_DOUBLE(atanf, atan)
TWIN_FLOAT_BY_DOUBLE(atanhf, atanh)
TWIN_FLOAT_BY_DOUBLE(cbrtf, cbrt)
TWIN_FLOAT_BY_DOUBLE(coshf, cosh)
TWIN_FLOAT_BY_DOUBLE(erfcf, erfc)
TWIN_FLOAT_BY_DOUBLE(expm1f, expm1)
TWIN_FLOAT_BY_DOUBLE(log1pf, log1p)
TWIN_FLOAT_BY_DOUBLE(sinhf, sinh)
TWIN_FLOAT_BY_DOUBLE(tanf, tan)
TWIN_FLOAT_BY_DOUBLE(tgammaf, tgamma)
TWIN_FLOAT_BY_DOUBLE(j0f, j0)
TWIN_FLOAT_BY_DOUBLE(j1f, j1)
TWIN_FLOAT_BY_DOUBLE(y0f, y0)
TWIN_FLOAT_BY_DOUBLE(y1f, y1)
TWIN_1(float, float, logbf, logbf(x))
TWIN_1(float, float, lgammaf, static_cast<float>(twin::log_gamma(x)))
TWIN_1(int32_t, float, ilogbf, ilogbf(x))

TWIN_2(float, float, float, atan2f,
       static_cast<float>(atan2(static_cast<double>(x), static_cast<double>(y))))
TWIN_2(float, float, float, hypotf,
       static_cast<float>(hypot(static_cast<double>(x), static_cast<double>(y))))
TWIN_2(float, float, float, fmodf, fmodf(x, y))
TWIN_2(float, float, float, remainderf, remainderf(x, y))
TWIN_2(float, float, float, nextafterf, nextafterf(x, y))
TWIN_2(float, float, int32_t, ldexpf, ldexpf(x, y))
TWIN_2(float, int32_t, float, jnf, static_cast<float>(jn(x, static_cast<double>(y))))
TWIN_2(float, int32_t, float, ynf, static_cast<float>(yn(x, static_cast<double>(y))))
TWIN_2(int32_t, float, float, remquo_quotientf, twin::low_quotient(x, y))

}  // extern "C"
