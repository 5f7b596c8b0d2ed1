#include "dtype.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace torchlight::test {
namespace {

constexpr std::array<DtypeInfo, 8> infos = {{
    {"bool", {TL_BOOL, 8, 1}, 0, 0, 0},
    {"uint8", {TL_UINT, 8, 1}, 0, 0, 0},
    {"int32", {TL_INT, 32, 1}, 0, 0, 0},
    {"int64", {TL_INT, 64, 1}, 0, 0, 0},
    {"float16", {TL_FLOAT, 16, 1}, 11, -14, 15},
    {"bfloat16", {TL_BFLOAT, 16, 1}, 8, -126, 127},
    {"float32", {TL_FLOAT, 32, 1}, 24, -126, 127},
    {"float64", {TL_FLOAT, 64, 1}, 53, -1022, 1023},
}};

template <class T> T load_as(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T> void store_as(T value, std::byte* p) { std::memcpy(p, &value, sizeof value); }

// What follows is most of what the runner does, millions of times: the library's ldexp, ilogb and nearbyint
// of long double are too slow for it.
constexpr int largest_exponent = 1100;  // of all formats here, their subnormal numbers and one beyond

/// 2 to the `exponent`.
Real power_of_two(int exponent) {
  static const auto powers = [] {
    std::array<Real, 2 * largest_exponent + 1> all;
    int next = -largest_exponent;
    for (Real& power : all) power = std::ldexp(Real(1), next++);
    return all;
  }();
  return *(powers.begin() + largest_exponent + exponent);
}

/// std::ilogb of a finite value other than 0.
int exponent_of(Real value) {
  const double rounded = std::fabs(static_cast<double>(value));  // maybe up to the next power of two
  if (!std::isnormal(rounded)) return std::ilogb(value);
  std::uint64_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  return power_of_two(exponent) > std::fabs(value) ? exponent - 1 : exponent;
}

/// The nearest whole number, the even one of two, of a value far below 2^60.
Real nearest_integer(Real value) {
  const Real shift = 3 * power_of_two(std::numeric_limits<Real>::digits - 2);  // its last place is 1
  return (value + shift) - shift;
}

/// The two 16-bit formats: sign, exponent, fraction.
Real decode_half(const DtypeInfo& format, std::uint16_t bits) {
  const int fraction_bits = format.digits - 1;
  const int exponent_mask = (1 << (15 - fraction_bits)) - 1;
  const int exponent = bits >> fraction_bits & exponent_mask;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  Real magnitude;
  if (exponent == exponent_mask) {
    magnitude =
        fraction ? std::numeric_limits<Real>::quiet_NaN() : std::numeric_limits<Real>::infinity();
  } else if (exponent == 0) {
    magnitude = static_cast<Real>(fraction) * power_of_two(format.min_exponent - fraction_bits);
  } else {
    magnitude = static_cast<Real>(fraction + (1 << fraction_bits)) *
                power_of_two(exponent - 1 + format.min_exponent - fraction_bits);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t encode_half(const DtypeInfo& format, Dtype dtype, Real value) {
  const int fraction_bits = format.digits - 1;
  const int exponent_mask = (1 << (15 - fraction_bits)) - 1;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const Real magnitude = std::fabs(round_to(dtype, value));
  unsigned body;
  if (std::isnan(value)) {
    body = static_cast<unsigned>(exponent_mask << fraction_bits | 1 << (fraction_bits - 1));
  } else if (std::isinf(magnitude)) {
    body = static_cast<unsigned>(exponent_mask << fraction_bits);
  } else if (magnitude < power_of_two(format.min_exponent)) {
    body = static_cast<unsigned>(magnitude * power_of_two(fraction_bits - format.min_exponent));
  } else {
    const int exponent = exponent_of(magnitude);
    const auto fraction = static_cast<unsigned>(magnitude * power_of_two(fraction_bits - exponent));
    body = static_cast<unsigned>(exponent - format.min_exponent) * (1u << fraction_bits) + fraction;
  }
  return static_cast<std::uint16_t>(sign | body);
}

}  // namespace

const DtypeInfo& info(Dtype dtype) { return infos[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> find(tl_dtype code) {
  for (Dtype d : all_dtypes) {
    const tl_dtype known = info(d).code;
    if (known.code == code.code && known.bits == code.bits && code.lanes == 1) return d;
  }
  return std::nullopt;
}

Real load(Dtype dtype, const std::byte* p) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::uint8: return load_as<std::uint8_t>(p);
    case Dtype::int32: return load_as<std::int32_t>(p);
    case Dtype::int64: return static_cast<Real>(load_as<std::int64_t>(p));
    case Dtype::float16:
    case Dtype::bfloat16: return decode_half(info(dtype), load_as<std::uint16_t>(p));
    case Dtype::float32: return load_as<float>(p);
    case Dtype::float64: return load_as<double>(p);
  }
  __builtin_unreachable();
}

void store(Dtype dtype, Real value, std::byte* p) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::uint8: return store_as(static_cast<std::uint8_t>(value), p);
    case Dtype::int32: return store_as(static_cast<std::int32_t>(value), p);
    case Dtype::int64: return store_as(static_cast<std::int64_t>(value), p);
    case Dtype::float16:
    case Dtype::bfloat16: return store_as(encode_half(info(dtype), dtype, value), p);
    case Dtype::float32: return store_as(static_cast<float>(value), p);
    case Dtype::float64: return store_as(static_cast<double>(value), p);
  }
}

Real round_to(Dtype dtype, Real value) {
  if (dtype == Dtype::float32) return static_cast<float>(value);
  if (dtype == Dtype::float64) return static_cast<double>(value);
  if (!is_float(dtype) || value == 0 || !std::isfinite(value)) return value;
  const Real step = spacing(dtype, value);
  const Real rounded = nearest_integer(value / step) * step;  // exact: step is a power of two
  if (std::fabs(rounded) > largest(dtype))
    return std::copysign(std::numeric_limits<Real>::infinity(), value);
  return std::copysign(rounded, value);
}

Real spacing(Dtype dtype, Real value) {
  if (!is_float(dtype)) return 0;
  const DtypeInfo& format = info(dtype);
  int exponent = format.min_exponent;
  if (std::isinf(value)) exponent = format.max_exponent;
  if (std::isfinite(value) && value != 0) {
    exponent = std::min(std::max(exponent_of(value), format.min_exponent), format.max_exponent);
  }
  return power_of_two(exponent - format.digits + 1);
}

Real largest(Dtype dtype) {
  const DtypeInfo& format = info(dtype);
  return (2 - power_of_two(1 - format.digits)) * power_of_two(format.max_exponent);
}

Real smallest(Dtype dtype) {
  const DtypeInfo& format = info(dtype);
  return power_of_two(format.min_exponent - format.digits + 1);
}

Real ulp_distance(Dtype dtype, Real got, Real exact) {
  const Real want = round_to(dtype, exact);
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  if (std::isnan(got) || std::isnan(want)) return std::numeric_limits<Real>::infinity();
  const Real beyond = power_of_two(info(dtype).max_exponent + 1);  // where inf stands
  const auto finite = [&](Real x) { return std::isinf(x) ? std::copysign(beyond, x) : x; };
  return std::fabs(finite(got) - finite(want)) / spacing(dtype, want);
}

}  // namespace torchlight::test
