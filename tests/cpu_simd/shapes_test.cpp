#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "backend.h"

using namespace cpu_simd_test;

namespace {

/// A view of random shape and strides into a buffer of its own, with what it holds laid out densely.
template <class T> struct Sample {
  std::vector<T> buffer;
  tl_view view{};

  T at(const std::vector<int64_t>& index) const { return buffer[static_cast<size_t>(offset(index))]; }
  int64_t offset(const std::vector<int64_t>& index) const {
    int64_t place = static_cast<int64_t>(view.byte_offset / sizeof(T));
    for (size_t d = 0; d < index.size(); ++d) place += index[d] * view.stride[d];
    return place;
  }
};

using Random = std::mt19937_64;

int64_t pick(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

std::vector<int64_t> random_extents(Random& random) {
  const int64_t kind = pick(random, 0, 9);
  std::vector<int64_t> extents(static_cast<size_t>(kind == 0 ? 8 : pick(random, 0, 4)));
  const int64_t top = extents.size() > 4 ? 3 : kind < 3 ? 200 : kind < 6 ? 40 : 7;
  for (int64_t& e : extents)
    e = pick(random, kind == 9 ? 0 : 1, extents.size() > 2 && top > 40 ? 40 : top);
  return extents;
}

/// Dimensions in a random order in memory, with gaps, some walked backwards, and, if allowed, some of
/// them repeated by stride 0.
template <class T>
Sample<T> random_sample(Random& random, const std::vector<int64_t>& extents, bool may_broadcast) {
  Sample<T> s;
  s.view = view_of(nullptr, dtype_of<T>(), extents);
  std::vector<size_t> order(extents.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (pick(random, 0, 1)) std::shuffle(order.begin(), order.end(), random);
  int64_t size = 1, lowest = 0;
  for (size_t k = order.size(); k-- > 0;) {
    const size_t d = order[k];
    const int64_t extent = extents[d], gap = pick(random, 0, 3) ? 1 : pick(random, 1, 3);
    const bool repeated = may_broadcast && pick(random, 0, 3) == 0;
    const bool backwards = !repeated && pick(random, 0, 5) == 0;
    s.view.stride[d] = repeated ? 0 : backwards ? -size * gap : size * gap;
    if (backwards && extent > 0) lowest += size * gap * (extent - 1);
    if (!repeated) size *= extent * gap;
  }
  const int64_t margin = pick(random, 0, 3);
  s.buffer.resize(static_cast<size_t>(size + lowest + margin + 8));
  s.view.byte_offset = static_cast<uint64_t>(lowest + margin) * sizeof(T);
  for (T& x : s.buffer) {
    const int64_t n = pick(random, -50, 50);
    x = std::is_same_v<T, uint8_t> ? static_cast<T>(n > 0)
                                   : static_cast<T>(n) / (sizeof(T) > 1 ? 4 : 1);
  }
  s.view.base = s.buffer.data();
  return s;
}

template <class F> void each_index(const std::vector<int64_t>& extents, const F& f) {
  std::vector<int64_t> index(extents.size(), 0);
  for (int64_t e : extents)
    if (e == 0) return;
  while (true) {
    f(index);
    size_t d = extents.size();
    while (d-- > 0) {
      if (++index[d] < extents[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

/// Elements that the view doesn't reach keep what they held.
template <class T>
void check_gaps(const Sample<T>& before, const Sample<T>& after, const std::vector<int64_t>& extents) {
  std::vector<bool> reached(after.buffer.size());
  each_index(extents, [&](const auto& i) { reached[static_cast<size_t>(after.offset(i))] = true; });
  bool intact = true;
  for (size_t i = 0; i < reached.size(); ++i)
    if (!reached[i]) intact = intact && before.buffer[i] == after.buffer[i];
  CHECK(intact);
}

template <class T> void check_zip(Random& random, Backend& backend) {
  const auto extents = random_extents(random);
  const auto x = random_sample<T>(random, extents, true), y = random_sample<T>(random, extents, true);
  auto out = random_sample<T>(random, extents, false);
  const auto before = out;
  REQUIRE(backend.zip(TL_ZIP_sub, {&x.view, &y.view}, out.view) == TL_OK);
  bool right = true;
  each_index(extents, [&](const auto& i) { right = right && out.at(i) == x.at(i) - y.at(i); });
  CHECK(right);
  check_gaps(before, out, extents);
}

template <class T> void check_where(Random& random, Backend& backend) {
  const auto extents = random_extents(random);
  const auto c = random_sample<uint8_t>(random, extents, true);
  const auto x = random_sample<T>(random, extents, true), y = random_sample<T>(random, extents, true);
  auto out = random_sample<T>(random, extents, false);
  const auto before = out;
  REQUIRE(backend.zip(TL_ZIP_where, {&c.view, &x.view, &y.view}, out.view) == TL_OK);
  bool right = true;
  each_index(extents,
             [&](const auto& i) { right = right && out.at(i) == (c.at(i) ? x.at(i) : y.at(i)); });
  CHECK(right);
  check_gaps(before, out, extents);
}

template <class From, class To> void check_copy(Random& random, Backend& backend) {
  const auto extents = random_extents(random);
  const auto x = random_sample<From>(random, extents, true);
  auto out = random_sample<To>(random, extents, false);
  const auto before = out;
  REQUIRE(backend.map(TL_MAP_copy, &x.view, out.view) == TL_OK);
  bool right = true;
  each_index(extents, [&](const auto& i) {
    const To want =
        std::is_same_v<To, uint8_t> ? static_cast<To>(x.at(i) != 0) : static_cast<To>(x.at(i));
    right = right && out.at(i) == want;
  });
  CHECK(right);
  check_gaps(before, out, extents);
}

template <class T> void check_compare(Random& random, Backend& backend) {
  const auto extents = random_extents(random);
  const auto x = random_sample<T>(random, extents, true), y = random_sample<T>(random, extents, true);
  auto out = random_sample<uint8_t>(random, extents, false);
  const auto before = out;
  REQUIRE(backend.zip(TL_ZIP_lt, {&x.view, &y.view}, out.view) == TL_OK);
  bool right = true;
  each_index(extents, [&](const auto& i) { right = right && out.at(i) == (x.at(i) < y.at(i)); });
  CHECK(right);
  check_gaps(before, out, extents);
}

/// Values are multiples of 1/4, so that every order of a sum gives the same.
template <class T> void check_reduce(Random& random, Backend& backend) {
  auto extents = random_extents(random);
  for (int64_t& e : extents) e = std::max<int64_t>(e, 1);
  const auto x = random_sample<T>(random, extents, true);
  const auto axes = static_cast<uint32_t>(pick(random, 0, (1 << extents.size()) - 1));
  auto kept = extents, gone = extents;
  for (size_t d = 0; d < extents.size(); ++d) (axes >> d & 1 ? kept : gone)[d] = 1;
  auto sum = random_sample<T>(random, kept, false), best = random_sample<T>(random, kept, false);
  auto place = random_sample<int64_t>(random, kept, false);
  const auto sum_before = sum, best_before = best;
  REQUIRE(backend.reduce(TL_REDUCE_sum, axes, x.view, sum.view) == TL_OK);
  REQUIRE(backend.reduce(TL_REDUCE_max, axes, x.view, best.view) == TL_OK);
  REQUIRE(backend.reduce(TL_REDUCE_argmax, axes, x.view, place.view) == TL_OK);
  bool right = true;
  each_index(kept, [&](const std::vector<int64_t>& i) {
    T total = 0, largest{};
    int64_t position = 0, found = -1;
    each_index(gone, [&](const std::vector<int64_t>& j) {
      std::vector<int64_t> k = i;
      for (size_t d = 0; d < k.size(); ++d) k[d] += j[d];
      const T value = x.at(k);
      total = static_cast<T>(total + value);
      if (found < 0 || value > largest) largest = value, found = position;
      ++position;
    });
    right = right && sum.at(i) == total && best.at(i) == largest && place.at(i) == found;
  });
  CHECK(right);
  check_gaps(sum_before, sum, kept);
  check_gaps(best_before, best, kept);
}

}  // namespace

TEST_CASE("map, zip and reduce take any strides and write nothing else") {
  for (const std::string& set : supported_sets()) {
    CAPTURE(set);
    Backend backend(set);
    Random random(7);
    for (int i = 0; i < 60; ++i) {
      CAPTURE(i);
      check_zip<float>(random, backend);
      check_zip<double>(random, backend);
      check_zip<int64_t>(random, backend);
      check_where<float>(random, backend);
      check_where<int64_t>(random, backend);
      check_where<uint8_t>(random, backend);
      check_copy<float, float>(random, backend);
      check_copy<double, float>(random, backend);
      check_copy<float, int64_t>(random, backend);
      check_copy<uint8_t, uint8_t>(random, backend);
      check_copy<int64_t, uint8_t>(random, backend);
      check_compare<float>(random, backend);
      check_compare<double>(random, backend);
      check_compare<uint8_t>(random, backend);
      check_reduce<float>(random, backend);
      check_reduce<double>(random, backend);
      check_reduce<int64_t>(random, backend);
    }
  }
}
