#include "dtype.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <doctest/doctest.h>

#include "rng.h"

using namespace torchlight::test;

namespace {

constexpr Real inf = std::numeric_limits<Real>::infinity();

std::uint16_t half_bits(Dtype dtype, Real value) {
  std::uint16_t bits = 0;
  store(dtype, value, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

Real half_value(Dtype dtype, std::uint16_t bits) {
  return load(dtype, reinterpret_cast<const std::byte*>(&bits));
}

}  // namespace

TEST_CASE("dtype: every bit pattern of the two 16-bit formats survives") {
  for (Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const Real value = half_value(dtype, static_cast<std::uint16_t>(bits));
      if (!std::isnan(value)) CHECK(half_bits(dtype, value) == bits);
    }
  }
}

TEST_CASE("dtype: 16-bit values are what the formats say") {
  CHECK(half_value(Dtype::float16, 0x3c00) == 1);
  CHECK(half_value(Dtype::float16, 0xc000) == -2);
  CHECK(half_value(Dtype::float16, 0x7bff) == 65504);
  CHECK(half_value(Dtype::float16, 0x0001) == 0x1p-24L);
  CHECK(half_value(Dtype::float16, 0xfc00) == -inf);
  CHECK(half_value(Dtype::bfloat16, 0x3f80) == 1);
  CHECK(half_value(Dtype::bfloat16, 0x4049) == 3.140625L);
  CHECK(std::isnan(half_value(Dtype::bfloat16, 0x7fc0)));
}

TEST_CASE("dtype: rounding goes to the nearest, halves to even, and to inf beyond the largest") {
  CHECK(round_to(Dtype::float16, 2049) == 2048);
  CHECK(round_to(Dtype::float16, 2051) == 2052);
  CHECK(round_to(Dtype::float16, 65519.99L) == 65504);
  CHECK(round_to(Dtype::float16, 65520) == inf);
  CHECK(round_to(Dtype::bfloat16, -1 - 0x1p-8L) == -1);
  CHECK(round_to(Dtype::bfloat16, 1 + 0x1.8p-8L) == 1 + 0x1p-7L);
  CHECK(round_to(Dtype::float16, 0x1p-25L) == 0);
  CHECK(round_to(Dtype::float16, 0x1.8p-25L) == 0x1p-24L);
  CHECK(std::signbit(round_to(Dtype::float16, -0.0L)));
}

TEST_CASE("dtype: the general rounding agrees with the processor's") {
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const Real x =
        std::ldexp(static_cast<Real>(rng.uniform(1, 2)), static_cast<int>(rng.between(-160, 130)));
    const Real step = spacing(Dtype::float32, x);
    const Real rounded = std::nearbyint(x / step) * step;
    CHECK(round_to(Dtype::float32, x) == (rounded > largest(Dtype::float32) ? inf : rounded));
  }
}

TEST_CASE("dtype: spacing, largest and smallest are those of the machine") {
  CHECK(spacing(Dtype::float32, 1) == std::numeric_limits<float>::epsilon());
  CHECK(spacing(Dtype::float64, 1.5L) == std::numeric_limits<double>::epsilon());
  CHECK(spacing(Dtype::float32, 0) == std::numeric_limits<float>::denorm_min());
  CHECK(largest(Dtype::float32) == std::numeric_limits<float>::max());
  CHECK(largest(Dtype::float64) == std::numeric_limits<double>::max());
  CHECK(smallest(Dtype::float64) == std::numeric_limits<double>::denorm_min());
  CHECK(spacing(Dtype::int64, 5) == 0);
}

TEST_CASE("dtype: int64 is exact at its ends") {
  for (std::int64_t value : {INT64_MIN, INT64_MIN + 1, std::int64_t{-1}, INT64_MAX - 1, INT64_MAX}) {
    std::int64_t memory = 0;
    store(Dtype::int64, static_cast<Real>(value), reinterpret_cast<std::byte*>(&memory));
    CHECK(memory == value);
    CHECK(load(Dtype::int64, reinterpret_cast<const std::byte*>(&memory)) == static_cast<Real>(value));
  }
}

TEST_CASE("ulp_distance: counts representable steps, also to inf") {
  CHECK(ulp_distance(Dtype::float32, 1, 1) == 0);
  CHECK(ulp_distance(Dtype::float32, 1 + 0x1p-22L, 1) == 2);
  CHECK(ulp_distance(Dtype::float32, 0, 0x1p-149L) == 1);
  CHECK(ulp_distance(Dtype::float32, inf, largest(Dtype::float32)) == 1);
  CHECK(ulp_distance(Dtype::float32, std::numeric_limits<Real>::quiet_NaN(), 1) == inf);
  CHECK(ulp_distance(Dtype::float64, 1, 1 + 0x1p-55L) == 0);  // against the rounded result
}
