#include <cmath>
#include <cstdint>

#include "extension_tables.h"
#include "ulp.h"

using namespace cpu_simd_test;

namespace {

struct Block {
  uint32_t word[4];
};

/// Philox4x32-10 for one block, written from its description.
Block philox(uint64_t seed, uint64_t number) {
  uint32_t c[4] = {static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32), 0, 0};
  uint32_t k[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53} * c[0], b = uint64_t{0xcd9e8d57} * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
                              static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    std::copy(next, next + 4, c);
    k[0] += 0x9e3779b9, k[1] += 0xbb67ae85;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

uint32_t short_word(uint64_t seed, uint64_t offset, int64_t i) {
  return philox(seed, offset + static_cast<uint64_t>(i) / 4).word[i % 4];
}
uint64_t long_word(uint64_t seed, uint64_t offset, int64_t i) {
  const Block block = philox(seed, offset + static_cast<uint64_t>(i) / 2);
  return block.word[i % 2 * 2] | uint64_t{block.word[i % 2 * 2 + 1]} << 32;
}
template <class T> double unit(uint64_t seed, uint64_t offset, int64_t i) {
  return sizeof(T) == 4 ? (short_word(seed, offset, i) >> 8) * 0x1p-24
                        : static_cast<double>(long_word(seed, offset, i) >> 11) * 0x1p-53;
}

template <class T>
std::vector<T> fill(const Backend& backend, uint32_t distribution, int64_t n, double a, double b,
                    uint64_t seed = 0x123456789abcdef0, uint64_t offset = 0xfffffffe) {
  Strided<T> out({n});
  const tl_view view = out.view();
  tl_random_args args{};
  args.distribution = distribution, args.output = &view, args.seed = seed, args.offset = offset;
  args.params[0] = a, args.params[1] = b;
  CHECK(call_extension(backend, random_table(backend).fill, args).status == TL_OK);
  CHECK(out.gaps_untouched());
  return out.values();
}

constexpr uint64_t seed = 0x123456789abcdef0,
                   offset = 0xfffffffe;  // the low half of the counter overflows

template <class T> void check_normal(const std::vector<T>& values) {
  double worst = 0;
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    const long double u0 = unit<T>(seed, offset, static_cast<int64_t>(i)),
                      u1 = unit<T>(seed, offset, static_cast<int64_t>(i) + 1);
    const long double r = std::sqrt(-2 * std::log1p(-u0)), angle = 2 * 3.14159265358979323846264L * u1;
    const double place = static_cast<double>(r) *
                         std::numeric_limits<T>::epsilon();  // an ULP relative to r, or less than two
    worst = std::max(worst, std::abs(static_cast<double>(values[i] - r * std::cos(angle))) / place);
    worst = std::max(worst, std::abs(static_cast<double>(values[i + 1] - r * std::sin(angle))) / place);
  }
  CHECK(worst < 4);
}

}  // namespace

TEST_CASE("random: the generator is Philox4x32-10") {
  // The published answer for key and counter 0, and what the reference above makes of it.
  const uint32_t expected[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (int w = 0; w < 4; ++w) CHECK(philox(0, 0).word[w] == expected[w]);
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const auto values = fill<int64_t>(Backend(set), TL_RANDOM_INTEGER, 2, 0, 0x1p62, 0, 0);
    CHECK(static_cast<uint64_t>(values[0]) == (0xe169c58d6627e8d5u & ~(uint64_t{3} << 62)));
    CHECK(static_cast<uint64_t>(values[1]) == (0x9b00dbd8bc57ac4cu & ~(uint64_t{3} << 62)));
  }
}

TEST_CASE("random: uniform, integer and bernoulli have the bits of their definition") {
  for (const std::string& set : supported_sets())
    for (unsigned threads : {1u, 3u})
      for (int64_t n : {1, 3, 31, 64, 65, 1000, 40001}) {
        CAPTURE(set);
        CAPTURE(n);
        const Backend backend(set, threads);
        const auto floats = fill<float>(backend, TL_RANDOM_UNIFORM, n, -2, 3);
        const auto doubles = fill<double>(backend, TL_RANDOM_UNIFORM, n, -2, 3);
        const auto integers = fill<int64_t>(backend, TL_RANDOM_INTEGER, n, -5, 100);
        const auto bools = fill<uint8_t>(backend, TL_RANDOM_BERNOULLI, n, 0.3, 0);
        const auto coins = fill<double>(backend, TL_RANDOM_BERNOULLI, n, 0.3, 0);
        bool right = true;
        for (int64_t i = 0; i < n; ++i) {
          const size_t at = static_cast<size_t>(i);
          right &= floats[at] == -2.0f + 5.0f * static_cast<float>(unit<float>(seed, offset, i));
          right &= doubles[at] == -2.0 + 5.0 * unit<double>(seed, offset, i);
          right &= integers[at] == -5 + static_cast<int64_t>(long_word(seed, offset, i) % 105);
          right &= bools[at] == (unit<float>(seed, offset, i) < 0.3);
          right &= coins[at] == (unit<double>(seed, offset, i) < 0.3);
        }
        CHECK(right);
      }
}

TEST_CASE("random: normal numbers are within 4 ULP of Box and Muller's formula") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    const Backend backend(set);
    check_normal(fill<float>(backend, TL_RANDOM_NORMAL, 200000, 0, 1));
    check_normal(fill<double>(backend, TL_RANDOM_NORMAL, 200000, 0, 1));
    const auto moved = fill<double>(backend, TL_RANDOM_NORMAL, 51, 10, 0.5),
               plain = fill<double>(backend, TL_RANDOM_NORMAL, 51, 0, 1);
    for (size_t i = 0; i < moved.size(); ++i)
      CHECK(moved[i] == doctest::Approx(10 + 0.5 * plain[i]).epsilon(1e-15));
  }
}

TEST_CASE("random: another seed or offset gives other numbers, an empty output none") {
  const Backend backend(supported_sets().back());
  const auto here = fill<float>(backend, TL_RANDOM_UNIFORM, 100, 0, 1, 1, 0);
  CHECK(here != fill<float>(backend, TL_RANDOM_UNIFORM, 100, 0, 1, 2, 0));
  const auto later = fill<float>(backend, TL_RANDOM_UNIFORM, 96, 0, 1, 1, 1);
  CHECK(std::vector<float>(here.begin() + 4, here.end()) == later);  // one block further
  CHECK(fill<float>(backend, TL_RANDOM_UNIFORM, 0, 0, 1).empty());
  for (float x : here) CHECK((x >= 0 && x < 1));
}

TEST_CASE("random: what isn't offered is declined") {
  const Backend backend(supported_sets().back());
  const Strided<float> out({4, 4}), columns({4, 4}, {{1, 0}, {}});
  const tl_view view = out.view(), strided = columns.view();
  tl_random_args args{};
  args.output = &view;
  const auto status = [&] { return call_extension(backend, random_table(backend).fill, args).status; };
  args.distribution = 77;
  CHECK(status() == TL_DECLINED);
  args.distribution = TL_RANDOM_INTEGER;
  CHECK(status() == TL_DECLINED);
  args.distribution = TL_RANDOM_UNIFORM;
  CHECK(status() == TL_OK);
  args.output = &strided;
  CHECK(status() == TL_DECLINED);
  const Strided<int64_t> whole({4});
  const tl_view integers = whole.view();
  args.output = &integers, args.distribution = TL_RANDOM_INTEGER;
  CHECK(status() == TL_E_ARGUMENT);  // no integers from 0 to below 0
}
