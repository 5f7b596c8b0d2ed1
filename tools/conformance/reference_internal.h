#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "reference.h"

/// What the reference's files share.
namespace torchlight::test::reference {

inline constexpr Real infinity = std::numeric_limits<Real>::infinity();
inline constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();
/// As a tolerance: whatever comes out is right.
inline constexpr Real anything = infinity;

/// The distance of 1 and its successor; 0 for integers, whose arithmetic is exact.
inline Real epsilon(Dtype dtype) { return spacing(dtype, 1); }

inline Scalar exactly(Real value) { return {value, 0}; }
inline Scalar within(Real ulps, Dtype dtype, Real value) {
  return {value, ulps * spacing(dtype, round_to(dtype, value))};
}

// Arithmetic in the dtype itself: integers wrap around, floats round once.
template <class T> T add(T x, T y) {
  if constexpr (std::is_integral_v<T>) return T(std::uint64_t(x) + std::uint64_t(y));
  return x + y;
}
template <class T> T subtract(T x, T y) {
  if constexpr (std::is_integral_v<T>) return T(std::uint64_t(x) - std::uint64_t(y));
  return x - y;
}
template <class T> T multiply(T x, T y) {
  if constexpr (std::is_integral_v<T>) return T(std::uint64_t(x) * std::uint64_t(y));
  return x * y;
}
template <class T> T maximum(T x, T y) {
  if (x != x) return x;
  if (y != y) return y;
  return x > y ? x : y;
}
template <class T> T minimum(T x, T y) {
  if (x != x) return x;
  if (y != y) return y;
  return x < y ? x : y;
}
Scalar power(Dtype dtype, Real x, Real y);
Real sigmoid(Real x);

/// f(T{}) with the dtype's C++ type; for float32, float64, int64 and bool.
template <class F> auto with_type(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::float32: return f(float{});
    case Dtype::float64: return f(double{});
    case Dtype::int64: return f(std::int64_t{});
    case Dtype::boolean: return f(bool{});
    default: throw std::logic_error(std::string("the reference computes nothing in ") + name(dtype));
  }
}

[[noreturn]] inline void no_reference(const char* op, std::uint32_t fn) {
  throw std::logic_error(std::string("no reference for ") + op + " " + std::to_string(fn));
}

/// The place of `index` in a dense array.
inline std::size_t place(const Shape& index, const Shape& shape) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    at = at * static_cast<std::size_t>(shape[k]) + static_cast<std::size_t>(index[k]);
  }
  return at;
}

}  // namespace torchlight::test::reference
