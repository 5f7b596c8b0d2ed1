// Functions of the CUDA math API that the C library lacks: in double for float, in long double for double.

#include "cuda_only.h"

#include "loops.h"

#define TWIN_BOTH_1(NAME)                                              \
  TWIN_1(float, float, NAME##f, static_cast<float>((NAME<double>)(x))) \
  TWIN_1(double, double, NAME, static_cast<double>((NAME<long double>)(x)))

namespace {

template <class T> T cospi(T x) { return twin::cosine_of_turns(x); }
template <class T> T sinpi(T x) { return twin::sine_of_turns(x); }
template <class T> T erfcinv(T x) { return twin::inverse_complement(x); }
template <class T> T erfinv(T x) { return twin::inverse_error(x); }
template <class T> T erfcx(T x) { return twin::scaled_complement(x); }
template <class T> T normcdf(T x) { return erfc(-x * static_cast<T>(twin::kSqrtHalfL)) / 2; }
template <class T> T normcdfinv(T x) { return -twin::inverse_complement(2 * x) / T(twin::kSqrtHalfL); }
template <class T> T rcbrt(T x) { return 1 / cbrt(x); }
template <class T> T cyl_bessel_i0(T x) { return twin::modified_bessel(0, x); }
template <class T> T cyl_bessel_i1(T x) { return twin::modified_bessel(1, x); }

}  // namespace

extern "C" {

TWIN_BOTH_1(cospi)
TWIN_BOTH_1(sinpi)
TWIN_BOTH_1(erfcinv)
TWIN_BOTH_1(erfinv)
TWIN_BOTH_1(erfcx)
TWIN_BOTH_1(normcdf)
TWIN_BOTH_1(normcdfinv)
TWIN_BOTH_1(rcbrt)
TWIN_BOTH_1(cyl_bessel_i0)
TWIN_BOTH_1(cyl_bessel_i1)

TWIN_2(float, float, float, rhypotf,
       static_cast<float>(1 / hypot(static_cast<double>(x), static_cast<double>(y))))
TWIN_2(double, double, double, rhypot, static_cast<double>(1 / hypotl(x, y)))
TWIN_3(float, norm3df, static_cast<float>(twin::norm<double>(x, y, z)))
TWIN_3(float, rnorm3df, static_cast<float>(1 / twin::norm<double>(x, y, z)))
TWIN_3(double, norm3d, static_cast<double>(twin::norm<long double>(x, y, z)))
TWIN_3(double, rnorm3d, static_cast<double>(1 / twin::norm<long double>(x, y, z)))

}  // extern "C"
