#include <doctest/doctest.h>

#include <random>

#include "backend.h"
#include "functions.h"
#include "ulp.h"

/// Every function against the C library, in float64 for float32 and in long double for float64.
using namespace cpu_simd_test;

namespace {

/// All exponents and signs: every so-manieth bit pattern of float32, and what surrounds special values.
std::vector<float> samples_of(float) {
  std::vector<float> samples;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 30011)
    samples.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return samples;
}

std::vector<double> samples_of(double) {
  std::mt19937_64 random(11);
  std::vector<double> samples;
  for (int i = 0; i < 30000; ++i) {
    samples.push_back(std::bit_cast<double>(random()));
    for (double range : {3.0, 40.0, 800.0})
      samples.push_back(std::uniform_real_distribution<double>(-range, range)(random));
  }
  return samples;
}

template <class T> struct Worst {
  int64_t places = 0;
  double relative = 0;
  T at = 0;
};

template <class T> Worst<T> measure(Backend& backend, const Function& f) {
  const std::vector<T> x = samples_of(T{});
  std::vector<T> y(x.size());
  const tl_view in = view_of(x), out = view_of(y);
  REQUIRE(backend.map(f.id, &in, out, f.params) == TL_OK);
  Worst<T> worst;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact =
        std::is_same_v<T, float> ? f.in_double(static_cast<double>(x[i])) : f.in_long_double(x[i]);
    if (f.places_above > x[i]) {  // a relative bound, where the result is a normal number
      if (std::fabs(exact) >= std::numeric_limits<T>::min())
        worst.relative = std::max(worst.relative, static_cast<double>(std::fabs(y[i] / exact - 1)));
      continue;
    }
    const int64_t places = places_apart(y[i], static_cast<T>(exact));
    if (places > worst.places) worst.places = places, worst.at = x[i];
  }
  return worst;
}

template <class T> void check_functions() {
  for (const std::string& set : supported_sets()) {
    Backend backend(set);
    for (const Function& f : functions()) {
      const auto worst = measure<T>(backend, f);
      INFO(set, " ", f.name, ": ", worst.places, " places at ", worst.at, ", relative ",
           worst.relative);
      CHECK(worst.places <= f.most_places);
      CHECK(worst.relative <= f.most_relative);
    }
  }
}

}  // namespace

TEST_CASE("functions of float32 stay within their bounds") { check_functions<float>(); }

TEST_CASE("functions of float64 stay within their bounds") { check_functions<double>(); }

TEST_CASE("the measure of places sees what is wrong") {
  CHECK(places_apart(1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(places_apart(-std::numeric_limits<float>::denorm_min(), 0.0f) == 1);
  CHECK(places_apart(0.0f, -0.0f) == 0);
  CHECK(places_apart(std::numeric_limits<double>::infinity(), 1.0) > 1000);
  CHECK(places_apart(std::nan(""), 1.0) > 1000);
  CHECK(places_apart(std::nan(""), -std::nan("")) == 0);
}
