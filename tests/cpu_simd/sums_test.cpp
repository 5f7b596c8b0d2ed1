#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "backend.h"

using namespace cpu_simd_test;

namespace {

/// Over the axes of the mask; the input's extents, the output's the same with ones.
template <class T>
std::vector<T> reduced(Backend& backend, uint32_t fn, const std::vector<T>& x,
                       std::vector<int64_t> extents, uint32_t axes) {
  const tl_view in = view_of(x, extents);
  size_t size = 1;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (axes >> d & 1) extents[d] = 1;
    size *= static_cast<size_t>(extents[d]);
  }
  std::vector<T> y(size, T(-77));
  const tl_view out = view_of(y, extents);
  REQUIRE(backend.reduce(fn, axes, in, out) == TL_OK);
  return y;
}

}  // namespace

TEST_CASE("C01: sums of twenty million ones are exact, whatever the axis") {
  const std::vector<float> ones(40000000, 1.0f);
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set, 2);
    CHECK(reduced(backend, TL_REDUCE_sum, ones, {40000000}, 1)[0] == 4e7f);
    CHECK(reduced(backend, TL_REDUCE_sum, ones, {20000000, 2}, 1) == std::vector<float>{2e7f, 2e7f});
    CHECK(reduced(backend, TL_REDUCE_sum, ones, {2, 20000000}, 2) == std::vector<float>{2e7f, 2e7f});
  }
}

TEST_CASE("C02: the error of a sum doesn't grow with its length") {
  const std::vector<float> tenths(10000000, 0.1f);
  std::vector<float> cancelling(1024, 1.0f);
  cancelling.front() = 1e8f;
  cancelling.back() = -1e8f;
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set, 2);
    CHECK(std::fabs(reduced(backend, TL_REDUCE_sum, tenths, {10000000}, 1)[0] / 1000000.0149 - 1) <
          1e-6);
    const auto columns = reduced(backend, TL_REDUCE_sum, tenths, {1000000, 10}, 1);
    for (float c : columns) CHECK(std::fabs(c / 100000.00149 - 1) < 1e-6);
    CHECK(std::fabs(reduced(backend, TL_REDUCE_sum, cancelling, {1024}, 1)[0] - 1022) <= 64);
  }
}

TEST_CASE("A sum that fits isn't lost because part of it doesn't") {
  std::vector<float> x(4096, 0.0f);
  for (size_t i = 0; i < x.size(); ++i) x[i] = i < 2048 ? 3e38f : -3e38f;
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set);
    CHECK(reduced(backend, TL_REDUCE_sum, x, {4096}, 1)[0] == 0);
    CHECK(reduced(backend, TL_REDUCE_sum, x, {512, 8}, 1) == std::vector<float>(8, 0.0f));
  }
}

TEST_CASE("Sums don't depend on the number of threads") {
  std::mt19937 random(5);
  std::vector<float> x(600000);
  for (float& v : x) v = std::normal_distribution<float>(0, 1e3f)(random);
  const std::vector<std::pair<std::vector<int64_t>, uint32_t>> cases{
      {{600000}, 1}, {{600, 1000}, 1}, {{600, 1000}, 2}, {{300000, 2}, 1}, {{60, 100, 100}, 5}};
  for (const std::string& set : supported_sets()) {
    for (const auto& [extents, axes] : cases) {
      Backend alone(set, 1);
      const auto one = reduced(alone, TL_REDUCE_sum, x, extents, axes);
      Backend many(set, 5);
      const auto five = reduced(many, TL_REDUCE_sum, x, extents, axes);
      CHECK(std::memcmp(one.data(), five.data(), one.size() * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("A07: a NaN anywhere is the maximum and the minimum") {
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set);
    bool right = true;
    for (int64_t n = 1; n <= 100; ++n)
      for (int64_t p = 0; p < n; ++p) {
        std::vector<float> x(static_cast<size_t>(n));
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
        x[static_cast<size_t>(p)] = std::nanf("");
        for (uint32_t fn : {TL_REDUCE_max, TL_REDUCE_min})
          for (const auto& extents : {std::vector<int64_t>{n, 1}, std::vector<int64_t>{1, n}})
            right = right && std::isnan(reduced(backend, fn, x, extents, 3)[0]);
      }
    CHECK(right);
  }
}

TEST_CASE("A03: sums and products of nothing are written") {
  for (const std::string& set : supported_sets()) {
    Backend backend(set);
    CHECK(reduced<float>(backend, TL_REDUCE_sum, {}, {2, 0}, 2) == std::vector<float>{0, 0});
    CHECK(reduced<float>(backend, TL_REDUCE_prod, {}, {2, 0}, 2) == std::vector<float>{1, 1});
    CHECK(reduced<double>(backend, TL_REDUCE_sum, {}, {0, 3}, 1) == std::vector<double>{0, 0, 0});
    CHECK(reduced<float>(backend, TL_REDUCE_max, {}, {2, 0}, 1).empty());
  }
}
