// The host side of half and bfloat16 against plain arithmetic on their values.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <doctest/doctest.h>
#include <math.h>
#include <string.h>

#include <cmath>
#include <cstdint>

namespace {

/// What 16 bits mean, with `exponent_bits` of them an exponent.
double meaning(unsigned int bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int fraction = static_cast<int>(bits & ((1u << fraction_bits) - 1));
  const int exponent = static_cast<int>((bits & 0x7fffu) >> fraction_bits);
  const int largest = (1 << exponent_bits) - 1, bias = largest / 2;
  double v = exponent == 0
                 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                 : std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
  if (exponent == largest) v = fraction == 0 ? INFINITY : NAN;
  return (bits & 0x8000u) != 0 ? -v : v;
}

/// Whether `bits` is the nearest to x, even where two are as near.
bool is_nearest(unsigned int bits, double x, int exponent_bits) {
  const double got = meaning(bits, exponent_bits);
  if (std::isnan(x) || std::isnan(got)) return std::isnan(x) == std::isnan(got);
  if (std::signbit(x) != std::signbit(got)) return false;
  const unsigned int magnitude = bits & 0x7fffu;
  const unsigned int infinity = ((1u << exponent_bits) - 1) << (15 - exponent_bits);
  // Infinity stands for the next power of two when it comes to rounding.
  const auto value = [&](unsigned int m) {
    return m == infinity ? std::ldexp(1, 1 << (exponent_bits - 1)) : meaning(m, exponent_bits);
  };
  const double a = std::fmin(std::fabs(x), value(infinity));
  const double own = std::fabs(value(magnitude) - a);
  if (magnitude > 0) {
    const double below = std::fabs(value(magnitude - 1) - a);
    if (below < own || (below == own && magnitude % 2 != 0)) return false;
  }
  if (magnitude < infinity) {
    const double above = std::fabs(value(magnitude + 1) - a);
    if (above < own || (above == own && magnitude % 2 != 0)) return false;
  }
  return true;
}

float spread(uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  // Half of them where a half has its range, some exactly between two halves.
  uint32_t bits = state;
  if (state & 2) bits = (bits & 0x807fffffu) | ((100u + (state >> 8) % 45u) << 23);
  if ((state & 12) == 12) bits = (bits & 0xffffe000u) | 0x1000u;
  if ((state & 48) == 48) bits = (bits & 0xffff0000u) | 0x8000u;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

TEST_CASE("twin half: every half means what its bits say, and comes back from its float") {
  int wrong = 0;
  for (unsigned int bits = 0; bits < 0x10000u; ++bits) {
    const __half h = __ushort_as_half(static_cast<unsigned short>(bits));
    const __nv_bfloat16 b = __ushort_as_bfloat16(static_cast<unsigned short>(bits));
    const double wanted = meaning(bits, 5), wanted_b = meaning(bits, 8);
    if (std::isnan(wanted) ? !__hisnan(h) : __half2float(h) != wanted) ++wrong;
    if (std::isnan(wanted_b) ? !__hisnan(b) : __bfloat162float(b) != wanted_b) ++wrong;
    if (!std::isnan(wanted) && __half_as_ushort(__float2half(__half2float(h))) != bits) ++wrong;
    if (!std::isnan(wanted_b) && __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(b))) != bits)
      ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("twin half: floats and doubles round to nearest, ties to even") {
  uint32_t state = 1;
  int wrong = 0;
  for (int i = 0; i < 1000000; ++i) {
    const float x = spread(state);
    wrong += !is_nearest(__half_as_ushort(__float2half(x)), x, 5);
    wrong += !is_nearest(__bfloat16_as_ushort(__float2bfloat16(x)), x, 8);
    const double y = x * (1 + ((state >> 5) % 3 - 1.0) * 0x1p-40);  // on a tie, or just beside it
    wrong += !is_nearest(__half_as_ushort(__double2half(y)), y, 5);
    wrong += !is_nearest(__bfloat16_as_ushort(__double2bfloat16(y)), y, 8);
  }
  CHECK(wrong == 0);
}

TEST_CASE("twin half: the directed roundings enclose the value") {
  uint32_t state = 7;
  int wrong = 0;
  for (int i = 0; i < 300000; ++i) {
    const float x = spread(state);
    if (std::isnan(x)) continue;
    const float up = __half2float(__float2half_ru(x)), down = __half2float(__float2half_rd(x));
    const float to_zero = __half2float(__float2half_rz(x));
    wrong += !(down <= x && x <= up);
    wrong += to_zero != (x < 0 ? up : down);
    wrong += __half2float(__float2half(x)) != up && __half2float(__float2half(x)) != down;
  }
  CHECK(wrong == 0);
}

TEST_CASE("twin half: arithmetic and fma round once") {
  uint32_t state = 3;
  int wrong = 0;
  for (int i = 0; i < 300000; ++i) {
    const __half a = __float2half(spread(state)), b = __float2half(spread(state)),
                 c = __float2half(spread(state));
    const double x = __half2float(a), y = __half2float(b), z = __half2float(c);
    wrong += !is_nearest(__half_as_ushort(a + b), x + y, 5);
    wrong += !is_nearest(__half_as_ushort(a - b), x - y, 5);
    wrong += !is_nearest(__half_as_ushort(a * b), x * y, 5);
    if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z) && x * y + z != 0) {
      const long double exact = static_cast<long double>(x) * y + z;
      wrong += !is_nearest(__half_as_ushort(__hfma(a, b, c)), static_cast<double>(exact), 5);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("twin half: control: a half that is one off is not the nearest") {
  CHECK(is_nearest(0x3c00, 1.0, 5));
  CHECK_FALSE(is_nearest(0x3c01, 1.0, 5));
  CHECK_FALSE(is_nearest(0x3c01, 1.0 + 0x1p-11, 5));  // the tie goes to the even one
  CHECK_FALSE(is_nearest(0x7bff, 70000.0, 5));
}

}  // namespace
