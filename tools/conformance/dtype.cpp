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
    magnitude = std::ldexp(static_cast<Real>(fraction), format.min_exponent - fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<Real>(fraction + (1 << fraction_bits)),
                           exponent - 1 + format.min_exponent - fraction_bits);
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
  } else if (magnitude < std::ldexp(Real(1), format.min_exponent)) {
    body = static_cast<unsigned>(std::ldexp(magnitude, fraction_bits - format.min_exponent));
  } else {
    const int exponent = std::ilogb(magnitude);
    const auto fraction = static_cast<unsigned>(std::ldexp(magnitude, fraction_bits - exponent));
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
  const Real rounded = std::nearbyint(value / step) * step;  // exact: step is a power of two
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
    exponent = std::min(std::max(std::ilogb(value), format.min_exponent), format.max_exponent);
  }
  return std::ldexp(Real(1), exponent - format.digits + 1);
}

Real largest(Dtype dtype) {
  const DtypeInfo& format = info(dtype);
  return (2 - std::ldexp(Real(1), 1 - format.digits)) * std::ldexp(Real(1), format.max_exponent);
}

Real smallest(Dtype dtype) {
  const DtypeInfo& format = info(dtype);
  return std::ldexp(Real(1), format.min_exponent - format.digits + 1);
}

Real ulp_distance(Dtype dtype, Real got, Real exact) {
  const Real want = round_to(dtype, exact);
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  if (std::isnan(got) || std::isnan(want)) return std::numeric_limits<Real>::infinity();
  const Real beyond = std::ldexp(Real(1), info(dtype).max_exponent + 1);  // where inf stands
  const auto finite = [&](Real x) { return std::isinf(x) ? std::copysign(beyond, x) : x; };
  return std::fabs(finite(got) - finite(want)) / spacing(dtype, want);
}

}  // namespace torchlight::test
