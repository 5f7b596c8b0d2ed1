#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cpu_simd_test {

/// The distance of `got` from `exact` in units of the last place that a correctly rounded result has.
/// 0 where both are the same infinity or both NaN, infinite where only one of them is.
template <class T> double ulp_error(T got, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (std::isnan(got) || std::isnan(nearest))
    return std::isnan(got) && std::isnan(nearest) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(got) || std::isinf(nearest))
    return got == nearest ? 0 : std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const int lowest = std::numeric_limits<T>::min_exponent;
  if (nearest == 0 || exponent < lowest) exponent = lowest;
  const long double place = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / place);
}

}  // namespace cpu_simd_test
