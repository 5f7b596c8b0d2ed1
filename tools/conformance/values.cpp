#include "values.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rng.h"

namespace torchlight::test {
namespace {

constexpr Real inf = std::numeric_limits<Real>::infinity();
constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

Real int_limit(Dtype dtype, bool upper) {
  switch (dtype) {
    case Dtype::boolean: return upper ? 1 : 0;
    case Dtype::uint8: return upper ? 255 : 0;
    case Dtype::int32: return upper ? Real(INT32_MAX) : Real(INT32_MIN);
    default: return upper ? Real(INT64_MAX) : Real(INT64_MIN);
  }
}

/// A whole number in -n … n, made to fit.
Real whole(Dtype dtype, Rng& rng, std::int64_t n) {
  if (dtype == Dtype::boolean) return static_cast<Real>(rng.below(2));
  const auto value = static_cast<Real>(rng.between(-n, n));
  return dtype == Dtype::uint8 ? std::fabs(value) : value;
}

Real any_bits(Dtype dtype, Rng& rng) {
  if (dtype == Dtype::boolean) return static_cast<Real>(rng.below(2));
  const std::uint64_t bits = rng.next();
  return load(dtype, reinterpret_cast<const std::byte*>(&bits));
}

Real special_float(Dtype dtype, Rng& rng, bool tame) {
  const Real tiny = smallest(dtype);
  const Real normal = std::ldexp(Real(1), info(dtype).min_exponent);
  const std::array<Real, 22> list = {0,      -0.0L, inf,    -inf,    nan,
                                     tiny,   -tiny, normal, -normal, normal - tiny,
                                     1,      -1,    0.5L,   -0.5L,   1 + spacing(dtype, 1),
                                     2,      -2.5L, 3,      -3,      1e-3L,
                                     -1e-3L, 10};
  const std::array<Real, 10> wild = {largest(dtype), -largest(dtype), largest(dtype) / 2,
                                     88.7L,          -88.7L,          -103.9L,
                                     709.7L,         -745.1L,         1e4L,
                                     -1e4L};
  const std::uint64_t choice = rng.below(tame ? list.size() : list.size() + wild.size());
  return choice < list.size() ? list[choice] : wild[choice - list.size()];
}

Real special_integer(Dtype dtype, Rng& rng, bool tame) {
  const std::array<Real, 6> list = {0, 1, 2, 3, 7, int_limit(dtype, true)};
  const std::array<Real, 3> negative = {-1, -2, int_limit(dtype, false)};
  if (dtype == Dtype::boolean) return static_cast<Real>(rng.below(2));
  const bool is_signed = int_limit(dtype, false) < 0;
  const std::uint64_t choice = rng.below(is_signed ? 9 : 6);
  const Real value = choice < 6 ? list[choice] : negative[choice - 6];
  return tame ? std::fmod(value, 100) : value;
}

Real typical(Dtype dtype, Rng& rng) {
  return is_float(dtype) ? static_cast<Real>(rng.uniform(-4, 4)) : whole(dtype, rng, 9);
}

Real special(Dtype dtype, Rng& rng, bool tame) {
  if (!rng.chance(0.34)) return typical(dtype, rng);
  return is_float(dtype) ? special_float(dtype, rng, tame) : special_integer(dtype, rng, tame);
}

Real moderate(Dtype dtype, Rng& rng) {
  if (!is_float(dtype)) return any_bits(dtype, rng);
  return std::ldexp(static_cast<Real>(rng.uniform(1, 2)), static_cast<int>(rng.between(-12, 11))) *
         (rng.chance(0.5) ? 1 : -1);
}

Real convertible(Dtype dtype, Rng& rng) {
  if (!is_float(dtype)) return dtype == Dtype::boolean ? whole(dtype, rng, 1) : Real(rng.below(128));
  constexpr std::array<Real, 6> list = {0, -0.0L, 0.5L, -0.99L, 254.9L, 1e-7L};
  return rng.chance(0.3) ? list[rng.below(list.size())] : static_cast<Real>(rng.uniform(0, 255));
}

Real mask(const Shape& shape, std::int64_t position, Rng& rng) {
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  switch (position / columns % 3) {
    case 0: return rng.chance(0.5) ? 0 : -inf;
    case 1: return -inf;
    default: return static_cast<Real>(rng.uniform(-2, 2));
  }
}

Real cancelling(Dtype dtype, std::int64_t position, Rng& rng) {
  if (position % 3 == 2) return whole(dtype, rng, 9);
  const Real big = std::ldexp(Real(1), info(dtype).digits + 6);
  return position % 3 ? -big : big;
}

Real near_one(Dtype dtype, Rng& rng) {
  const Real sign = rng.chance(0.5) ? 1 : -1;
  if (is_float(dtype)) return sign * static_cast<Real>(rng.uniform(0.75, 1.25));
  return sign * (rng.chance(0.5) ? 1 : 3);
}

Real draw(const Values& values, Dtype dtype, const Shape& shape, std::int64_t position, Rng& rng) {
  switch (values.fill) {
    case Fill::typical: return typical(dtype, rng);
    case Fill::unit:
      return is_float(dtype) ? static_cast<Real>(rng.uniform(-1, 1)) : whole(dtype, rng, 1);
    case Fill::positive:
      return is_float(dtype) ? static_cast<Real>(8 - rng.uniform(0, 8)) : 1 + Real(rng.below(9));
    case Fill::probability: return static_cast<Real>(rng.uniform(0, 1));
    case Fill::integers: return whole(dtype, rng, 4);
    case Fill::near_one: return near_one(dtype, rng);
    case Fill::moderate: return moderate(dtype, rng);
    case Fill::bits: return any_bits(dtype, rng);
    case Fill::special: return special(dtype, rng, false);
    case Fill::tame: return special(dtype, rng, true);
    case Fill::convertible: return convertible(dtype, rng);
    case Fill::constant: return values.a;
    case Fill::one_nan: return typical(dtype, rng);  // value_at places the NaN
    case Fill::large_mean: return values.a + static_cast<Real>(rng.uniform(-1, 1));
    case Fill::cancelling: return cancelling(dtype, position, rng);
    case Fill::mask: return mask(shape, position, rng);
    case Fill::ascending: return static_cast<Real>(position);
    case Fill::index: return static_cast<Real>(rng.below(static_cast<std::uint64_t>(values.a)));
    case Fill::mean_of_input:
    case Fill::rstd_of_input: break;
  }
  throw std::logic_error("this fill depends on other operands");
}

}  // namespace

const char* name(Fill fill) {
  constexpr std::array names = {"typical",   "unit",       "positive",      "probability",
                                "integers",  "near_one",   "moderate",      "bits",
                                "special",   "tame",       "convertible",   "constant",
                                "one_nan",   "large_mean", "cancelling",    "mask",
                                "ascending", "index",      "mean_of_input", "rstd_of_input"};
  return names[static_cast<std::size_t>(fill)];
}

Real value_at(const Values& values, Dtype dtype, const Shape& shape, std::int64_t position,
              std::uint64_t seed) {
  if (values.fill == Fill::one_nan) {
    const std::uint64_t place = Rng(seed).below(static_cast<std::uint64_t>(count(shape)));
    if (static_cast<std::uint64_t>(position) == place) return nan;
  }
  Rng rng(seed + 0x100000001b3u * static_cast<std::uint64_t>(position));
  rng.next();
  const Real value = draw(values, dtype, shape, position, rng);
  if (dtype == Dtype::boolean) return value != 0;
  return is_float(dtype) ? round_to(dtype, value) : std::trunc(value);
}

}  // namespace torchlight::test
