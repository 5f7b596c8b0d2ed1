#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "backend.h"

using namespace cpu_simd_test;

namespace {

/// Sums of large numbers that nearly cancel: what the float32 tree loses shows how wide it was.
std::vector<float> fingerprint(const std::string& set) {
  Backend backend(set);
  std::mt19937 random(1);
  std::vector<float> x(64 * 1000), y(64);
  for (float& v : x) v = std::uniform_real_distribution<float>(-1e8f, 1e8f)(random);
  const tl_view in = view_of(x, {64, 1000}), out = view_of(y, {64, 1});
  REQUIRE(backend.reduce(TL_REDUCE_sum, 2, in, out) == TL_OK);
  return y;
}

}  // namespace

TEST_CASE("a forced instruction set is reported, and it is the one that runs") {
  const auto sets = supported_sets();
  REQUIRE(!sets.empty());
  for (const std::string& a : sets) {
    CHECK(Backend(a).instruction_set() == a);
    CHECK(fingerprint(a) == fingerprint(a));
    for (const std::string& b : sets)
      if (a != b) CHECK(fingerprint(a) != fingerprint(b));
  }
}

TEST_CASE("without a choice the widest runs") {
  const auto sets = supported_sets();
  CHECK(Backend("").instruction_set() == sets.back());
}

TEST_CASE("an unknown instruction set is an error that names it and what there is") {
  for (const std::string set : {"sse9", "AVX2", "avx2 "}) {
    const Backend backend(set);
    CHECK(backend.status() == TL_E_ARGUMENT);
    CHECK(backend.text().find("TORCHLIGHT_SIMD=" + set) != std::string::npos);
    for (const std::string& known : supported_sets())
      CHECK(backend.text().find(known) != std::string::npos);
  }
}
