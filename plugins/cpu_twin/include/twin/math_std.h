#pragma once
#pragma GCC system_header

// std:: math in device code. These names must stand in std before <cmath>, whose constexpr functions would else
// be taken for device code and call a C library that isn't there.

namespace std {
// clang-format off
#define TWIN_X(NAME) using ::NAME;
TWIN_MATH_STD_1(TWIN_X)
TWIN_MATH_STD_2(TWIN_X)
TWIN_X(fabs) TWIN_X(floor) TWIN_X(ceil) TWIN_X(trunc) TWIN_X(rint) TWIN_X(nearbyint) TWIN_X(round)
TWIN_X(sqrt) TWIN_X(fma) TWIN_X(fmin) TWIN_X(fmax) TWIN_X(copysign) TWIN_X(isnan) TWIN_X(isinf)
TWIN_X(isfinite) TWIN_X(isnormal) TWIN_X(signbit) TWIN_X(abs) TWIN_X(labs) TWIN_X(llabs)
TWIN_X(fdim) TWIN_X(modf) TWIN_X(scalbn) TWIN_X(scalbln) TWIN_X(remquo) TWIN_X(frexp) TWIN_X(lrint)
TWIN_X(llrint) TWIN_X(lround) TWIN_X(llround) TWIN_X(ldexp) TWIN_X(ilogb)
#undef TWIN_X
// clang-format on
}  // namespace std
