#pragma once

// The math functions that device code calls out to: the header math.h makes CUDA's names of them, support/ defines
// them over 32 lanes as __twin_NAME_32, and the test walks over the same lists. X(name) stands for the pair
// NAMEf (float) and NAME (double).

// clang-format off

/// One argument, and in namespace std.
#define TWIN_MATH_STD_1(X)                                                                          \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(erf) X(erfc) X(exp)   \
  X(exp2) X(expm1) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(sin) X(sinh) X(tan) X(tanh) \
  X(tgamma)

/// One argument, of CUDA or POSIX alone.
#define TWIN_MATH_CUDA_1(X)                                                                  \
  X(cospi) X(sinpi) X(erfcinv) X(erfcx) X(erfinv) X(exp10) X(normcdf) X(normcdfinv) X(rcbrt) \
  X(cyl_bessel_i0) X(cyl_bessel_i1) X(j0) X(j1) X(y0) X(y1)

// clang-format on

/// Two arguments, and in namespace std.
#define TWIN_MATH_STD_2(X) X(atan2) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

/// Two arguments, of CUDA alone.
#define TWIN_MATH_CUDA_2(X) X(rhypot)

/// Three arguments.
#define TWIN_MATH_3(X) X(norm3d) X(rnorm3d)

/// (int, x) to the type of x.
#define TWIN_MATH_INT_FIRST(X) X(jn) X(yn)

/// (x, int) to the type of x.
#define TWIN_MATH_INT_SECOND(X) X(ldexp)

/// x to int.
#define TWIN_MATH_TO_INT(X) X(ilogb)

/// (x, y) to int: the quotient's low bits as remquo gives them.
#define TWIN_MATH_2_TO_INT(X) X(remquo_quotient)
