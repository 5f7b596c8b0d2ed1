// Bits of floating-point numbers, and their rounding.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace scalar {

template <class T> T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);  // the low bytes come first
  return value;
}
template <class T> uint64_t to_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// The host's rounding mode while it lives.
class Rounding {
 public:
  explicit Rounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_;
};

/// Converts under the rounding mode of the moment, which compilers don't look at.
template <class T> float volatile_float(T value) {
  volatile T kept = value;
  volatile float result = static_cast<float>(kept);
  return result;
}
template <class T> double volatile_double(T value) {
  volatile T kept = value;
  volatile double result = static_cast<double>(kept);
  return result;
}

inline double from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction ? std::nan("") : HUGE_VAL;
  return bits >> 15 ? -value : value;
}

/// Rounded once, from a number that is exact.
inline uint16_t to_half(double value, int mode = FE_TONEAREST) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  double size = std::fabs(value);
  if (std::isinf(size)) return sign | 0x7c00;
  int exponent = size > 0 ? std::ilogb(size) : -14;
  if (exponent < -14) exponent = -14;
  const double unit = std::ldexp(1, exponent - 10);
  double steps;
  {
    const Rounding rounding(mode == FE_TOWARDZERO ? FE_TOWARDZERO : FE_TONEAREST);
    volatile double exact = size / unit;
    steps = std::nearbyint(exact);
  }
  size = steps * unit;
  if (size >= 65536 || (size > 65504)) return mode == FE_TOWARDZERO ? sign | 0x7bff : sign | 0x7c00;
  const auto count = static_cast<int>(
      size / std::ldexp(1, (size > 0 && std::ilogb(size) > -14 ? std::ilogb(size) : -14) - 10));
  const int place = size > 0 && std::ilogb(size) >= -14 ? std::ilogb(size) + 15 : 0;
  return static_cast<uint16_t>(sign | (place ? (place << 10 | (count - 1024)) : count));
}

/// Nearest, ties to even.
inline uint16_t to_bfloat(float value) {
  if (std::isnan(value)) return 0x7fff;
  const auto bits = static_cast<uint32_t>(to_bits(value));
  const uint32_t low = bits & 0xffff, high = bits >> 16;
  return static_cast<uint16_t>(high + (low > 0x8000 || (low == 0x8000 && (high & 1)) ? 1 : 0));
}

}  // namespace scalar
