#include <doctest/doctest.h>

#include <cmath>

#include "kernels/random.cuh"

using namespace kernels;

TEST_CASE("Philox gives its published numbers") {
  const PhiloxBlock zero = philox(0, 0);
  CHECK(zero.word[0] == 0x6627e8d5);
  CHECK(zero.word[1] == 0xe169c58d);
  CHECK(zero.word[2] == 0xbc57ac4c);
  CHECK(zero.word[3] == 0x9b00dbd8);
}

TEST_CASE("words go to elements as ext/random.h says") {
  const uint64_t seed = 0xfedcba9876543210, offset = ~uint64_t{0} - 1;  // the counter wraps around
  const auto narrow = RandomWords<4>::make(seed, offset, 2);
  const PhiloxBlock third = philox(seed, offset + 2);
  for (int j = 0; j < 4; ++j) CHECK(narrow.of[j] == third.word[j]);
  const auto wide = RandomWords<8>::make(seed, offset, 1);
  for (int j = 0; j < 4; ++j) {
    const PhiloxBlock block = philox(seed, offset + 2 + static_cast<uint64_t>(j / 2));
    CHECK(static_cast<uint32_t>(wide.of[j]) == block.word[2 * (j % 2)]);
    CHECK(static_cast<uint32_t>(wide.of[j] >> 32) == block.word[2 * (j % 2) + 1]);
  }
}

TEST_CASE("uniform numbers lie in [0, 1) and are exact") {
  CHECK(unit(uint32_t{0xffffffff}) == 1 - 0x1p-24f);
  CHECK(unit(~uint64_t{0}) == 1 - 0x1p-53);
  CHECK(unit(uint32_t{255}) == 0);
}

TEST_CASE("normal numbers follow Box and Muller within 4 ULP of the radius") {
  RandomArguments g{};
  g.b = 1;
  for (uint64_t pack = 0; pack < 5000; ++pack) {
    const auto words = RandomWords<4>::make(42, 0, pack);
    const auto made = random_normal<float>::make(words, g);
    for (int j = 0; j < 4; j += 2) {
      const long double radius =
          std::sqrt(-2 * std::log1p(-static_cast<long double>(unit(words.of[j]))));
      const long double angle = 2 * std::acos(-1.0L) * unit(words.of[j + 1]);
      const long double bound =
          4 * (std::nextafter(static_cast<float>(radius), 1e9f) - static_cast<float>(radius));
      CHECK(std::fabs(made.of[j] - radius * std::cos(angle)) <= bound);
      CHECK(std::fabs(made.of[j + 1] - radius * std::sin(angle)) <= bound);
    }
  }
}
