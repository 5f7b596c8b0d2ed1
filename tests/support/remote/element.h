#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <torchlight/plugin.h>

namespace remote {

/// The element types `remote` knows; float16 and bfloat16 aren't among them.
enum class Kind { f32, f64, i64, b8, u8, i32, unknown };

inline Kind kind_of(tl_dtype dtype) {
  if (dtype.lanes != 1) return Kind::unknown;
  switch (dtype.code << 8 | dtype.bits) {
    case TL_FLOAT << 8 | 32: return Kind::f32;
    case TL_FLOAT << 8 | 64: return Kind::f64;
    case TL_INT << 8 | 64: return Kind::i64;
    case TL_INT << 8 | 32: return Kind::i32;
    case TL_UINT << 8 | 8: return Kind::u8;
    case TL_BOOL << 8 | 8: return Kind::b8;
    default: return Kind::unknown;
  }
}

/// f(T()) for the C++ type of a kind. REQUIRES: a known one.
template <class F> void with_type(Kind kind, F&& f) {
  switch (kind) {
    case Kind::f32: return f(float());
    case Kind::f64: return f(double());
    case Kind::i64: return f(std::int64_t());
    case Kind::i32: return f(std::int32_t());
    case Kind::u8: return f(std::uint8_t());
    case Kind::b8: return f(bool());
    case Kind::unknown: return;
  }
}

/// As C++ converts, but out of an integer's range the nearest, and 0 for NaN.
template <class To, class From> To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    const auto lowest = static_cast<From>(std::numeric_limits<To>::min());
    const auto highest = static_cast<From>(std::numeric_limits<To>::max());
    if (value <= lowest) return std::numeric_limits<To>::min();
    if (value >= highest) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace remote
