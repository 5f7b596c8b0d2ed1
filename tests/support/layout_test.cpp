#include "layout.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

using namespace torchlight::test;

namespace {

/// Where the elements lie in the window, in row-major order.
std::vector<std::int64_t> places(const Layout& layout) {
  std::vector<std::int64_t> result;
  if (count(layout.extent) == 0) return result;
  Shape index(layout.extent.size(), 0);
  do result.push_back(layout.offset(index));
  while (advance(index, layout.extent));
  return result;
}

const std::vector<Shape> shapes = {{},        {0},       {1},          {7},
                                   {3, 0, 2}, {3, 1, 4}, {2, 3, 4, 5}, {2, 1, 3, 1, 2, 1, 2, 3}};

}  // namespace

TEST_CASE("layout: elements stand apart and fill their window from end to end") {
  for (const Shape& shape : shapes) {
    for (Arrangement a : dense_arrangements) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Layout layout = arrange(shape, a, seed);
        const auto all = places(layout);
        CAPTURE(text(shape));
        CAPTURE(name(a));
        CHECK(std::set<std::int64_t>(all.begin(), all.end()).size() ==
              static_cast<std::size_t>(count(shape)));
        if (all.empty()) {
          CHECK(layout.span == 0);
          continue;
        }
        CHECK(*std::min_element(all.begin(), all.end()) == 0);
        CHECK(*std::max_element(all.begin(), all.end()) == layout.span - 1);
      }
    }
  }
}

TEST_CASE("layout: arrangements are what their names say") {
  CHECK(places(arrange({2, 3})) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(places(arrange({2, 3}, Arrangement::transposed)) ==
        std::vector<std::int64_t>{0, 2, 4, 1, 3, 5});
  CHECK(places(arrange({2, 3}, Arrangement::reversed)) == std::vector<std::int64_t>{5, 4, 3, 2, 1, 0});
  CHECK(places(arrange({4}, Arrangement::stepped)) == std::vector<std::int64_t>{0, 2, 4, 6});
  CHECK(places(arrange({2, 2}, Arrangement::padded)) == std::vector<std::int64_t>{0, 1, 5, 6});
  CHECK(places(arrange({2, 2}, Arrangement::one_value)) == std::vector<std::int64_t>{0, 0, 0, 0});
  CHECK(places(arrange({2, 3}, Arrangement::one_row)) == std::vector<std::int64_t>{0, 1, 2, 0, 1, 2});
  CHECK(places(arrange({2, 3}, Arrangement::one_column)) ==
        std::vector<std::int64_t>{0, 0, 0, 1, 1, 1});
  CHECK(places(transpose_last({1, 2, 3})) == std::vector<std::int64_t>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("layout: broadcasting aligns at the right and repeats extents of 1") {
  CHECK(places(broadcast(arrange({3}), {2, 3})) == std::vector<std::int64_t>{0, 1, 2, 0, 1, 2});
  CHECK(places(broadcast(arrange({2, 1}), {2, 3})) == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1});
  CHECK(places(broadcast(arrange({}), {2, 2})) == std::vector<std::int64_t>{0, 0, 0, 0});
  CHECK(broadcast(arrange({1, 3}), {0, 3}).span == 0);
}
