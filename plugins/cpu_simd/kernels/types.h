#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/simd.h"

/// The element types of the kernels. int64 is wrapped, so that generic code gets arithmetic that wraps
/// around instead of undefined behaviour.
namespace cpu_simd::TL_ISA {

struct Int {
  int64_t value;

  CPU_SIMD_INLINE friend uint64_t bits(Int x) noexcept { return static_cast<uint64_t>(x.value); }
  CPU_SIMD_INLINE static Int from(uint64_t x) noexcept { return {static_cast<int64_t>(x)}; }

  CPU_SIMD_INLINE friend Int operator+(Int a, Int b) noexcept { return from(bits(a) + bits(b)); }
  CPU_SIMD_INLINE friend Int operator-(Int a, Int b) noexcept { return from(bits(a) - bits(b)); }
  CPU_SIMD_INLINE friend Int operator*(Int a, Int b) noexcept { return from(bits(a) * bits(b)); }
  CPU_SIMD_INLINE friend Int operator-(Int a) noexcept { return from(0 - bits(a)); }
  CPU_SIMD_INLINE friend bool operator==(Int a, Int b) noexcept { return a.value == b.value; }
  CPU_SIMD_INLINE friend bool operator!=(Int a, Int b) noexcept { return a.value != b.value; }
  CPU_SIMD_INLINE friend bool operator<(Int a, Int b) noexcept { return a.value < b.value; }
  CPU_SIMD_INLINE friend bool operator<=(Int a, Int b) noexcept { return a.value <= b.value; }
  CPU_SIMD_INLINE friend bool operator>(Int a, Int b) noexcept { return a.value > b.value; }
  CPU_SIMD_INLINE friend bool operator>=(Int a, Int b) noexcept { return a.value >= b.value; }
};

CPU_SIMD_INLINE Int select(bool mask, Int yes, Int no) noexcept { return mask ? yes : no; }
CPU_SIMD_INLINE Int maximum(Int a, Int b) noexcept { return a < b ? b : a; }
CPU_SIMD_INLINE Int at_least(Int x, Int limit) noexcept { return maximum(x, limit); }
CPU_SIMD_INLINE Int minimum(Int a, Int b) noexcept { return b < a ? b : a; }
CPU_SIMD_INLINE Int abs_of(Int a) noexcept { return a.value < 0 ? -a : a; }
CPU_SIMD_INLINE Int negative(Int a) noexcept { return -a; }
CPU_SIMD_INLINE bool is_nan(Int) noexcept { return false; }
CPU_SIMD_INLINE bool differs(Int a, Int b) noexcept { return a != b; }

/// One byte, 0 or 1. Any other value counts as 1.
struct Bool {
  uint8_t byte;

  CPU_SIMD_INLINE friend bool truth(Bool b) noexcept { return b.byte != 0; }
  CPU_SIMD_INLINE friend bool operator==(Bool a, Bool b) noexcept { return truth(a) == truth(b); }
  CPU_SIMD_INLINE friend bool operator!=(Bool a, Bool b) noexcept { return truth(a) != truth(b); }
  CPU_SIMD_INLINE friend bool operator<(Bool a, Bool b) noexcept { return truth(a) < truth(b); }
  CPU_SIMD_INLINE friend bool operator<=(Bool a, Bool b) noexcept { return truth(a) <= truth(b); }
  CPU_SIMD_INLINE friend bool operator>(Bool a, Bool b) noexcept { return truth(a) > truth(b); }
  CPU_SIMD_INLINE friend bool operator>=(Bool a, Bool b) noexcept { return truth(a) >= truth(b); }
};

CPU_SIMD_INLINE bool is_nan(Bool) noexcept { return false; }
CPU_SIMD_INLINE bool differs(Bool a, Bool b) noexcept { return a != b; }

/// A double as int64; what doesn't fit, NaN included, gives the lowest value, as the processors do.
CPU_SIMD_INLINE int64_t to_int64(double x) noexcept {
  return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : std::numeric_limits<int64_t>::min();
}

template <class T> constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// A number in the type that functors compute with: a register for real types.
template <class T> CPU_SIMD_INLINE auto constant(double value) noexcept {
  if constexpr (is_real<T>)
    return splat(static_cast<T>(value));
  else if constexpr (std::is_same_v<T, Int>)
    return Int{to_int64(value)};
  else
    return Bool{value != 0};
}

}  // namespace cpu_simd::TL_ISA
