#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cpu_simd_test {

/// Numbers in order, as integers in order.
inline int64_t rank_of(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return bits < 0 ? -int64_t{bits & 0x7fffffff} : int64_t{bits};
}
inline int64_t rank_of(double x) {
  const auto bits = std::bit_cast<int64_t>(x);
  return bits < 0 ? -(bits & std::numeric_limits<int64_t>::max()) : bits;
}

/// How many representable numbers apart two are: 0 for equal ones and for two NaN.
template <class T> int64_t places_apart(T a, T b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<int64_t>::max();
  const int64_t x = rank_of(a), y = rank_of(b);
  return x > y ? x - y : y - x;
}

}  // namespace cpu_simd_test
