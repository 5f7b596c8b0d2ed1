#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "kernels/index.cuh"
#include "nest_plan.h"

using namespace cuda_backend;

TEST_CASE("division by multiplication is exact below 2^31") {
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<uint32_t>(engine()); };
  std::vector<uint32_t> divisors = {1,     2,          3,          5,          7,          9,
                                    10,    11,         641,        1000,       65535,      65536,
                                    65537, 0x3fffffff, 0x40000000, 0x40000001, 0x7ffffffe, 0x7fffffff};
  for (int i = 0; i < 300; ++i) divisors.push_back(1 + random() % (1u << (1 + i % 31)));
  for (const uint32_t d : divisors) {
    const kernels::Divisor by = Loops::divisor(d);
    std::vector<uint32_t> dividends = {0, 1, d - 1, d, d + 1, 2 * d - 1, 2 * d, 0x7fffffff, 0x7ffffffe};
    for (int i = 0; i < 200; ++i) dividends.push_back(random());
    for (uint32_t x : dividends) {
      x &= 0x7fffffff;
      CAPTURE(x);
      CAPTURE(d);
      CHECK(kernels::quotient(x, by) == x / d);
    }
  }
}

namespace {

struct Axis {
  int64_t extent, first, second;
};

/// Offsets of all elements, in the order of the axes as they stand.
std::vector<std::pair<int64_t, int64_t>> walk(const std::vector<Axis>& axes) {
  std::vector<std::pair<int64_t, int64_t>> all = {{0, 0}};
  for (const Axis& axis : axes) {
    std::vector<std::pair<int64_t, int64_t>> next;
    for (const auto& [a, b] : all)
      for (int64_t i = 0; i < axis.extent; ++i)
        next.emplace_back(a + i * axis.first, b + i * axis.second);
    all = next;
  }
  return all;
}

std::vector<std::pair<int64_t, int64_t>> walk(const kernels::Nest<2>& nest) {
  std::vector<std::pair<int64_t, int64_t>> all;
  for (int64_t i = 0; i < nest.count; ++i) {
    const kernels::Offsets<2> at = offsets_of(nest, i);
    all.emplace_back(at.of[0], at.of[1]);
  }
  return all;
}

Loops loops_of(const std::vector<Axis>& axes, Order order) {
  Loops loops(2);
  for (const Axis& axis : axes) loops.add(axis.extent, {axis.first, axis.second});
  loops.settle(order);
  return loops;
}

const std::vector<std::vector<Axis>> shapes = {
    {},
    {{5, 1, 1}},
    {{3, 4, 4}, {4, 1, 1}},
    {{3, 1, 4}, {4, 3, 1}},
    {{2, -12, 0}, {3, 4, 1}, {4, -1, 0}},
    {{2, 1, 105}, {3, 2, 35}, {5, 6, 7}, {7, 30, 1}},
    {{1, 99, 7}, {6, 0, 1}, {1, 3, 3}, {2, 5, 6}},
    {{2, 64, 1}, {2, 32, 2}, {2, 16, 4}, {2, 8, 8}, {2, 4, 16}, {2, 2, 32}, {2, 1, 64}, {3, 128, 128}},
};

}  // namespace

TEST_CASE("loops in row-major order walk as the axes stand, by either way of dividing") {
  for (const auto& axes : shapes) {
    kernels::Nest<2> nest = loops_of(axes, Order::row_major).nest<2>();
    CHECK(nest.small == 1);
    CHECK(walk(nest) == walk(axes));
    nest.small = 0;
    CHECK(walk(nest) == walk(axes));
  }
}

TEST_CASE("loops in memory's order reach the same pairs, the first operand's neighbours side by side") {
  for (const auto& axes : shapes) {
    auto got = walk(loops_of(axes, Order::memory).nest<2>()), want = walk(axes);
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    CHECK(got == want);
  }
  const Loops loops = loops_of({{3, 1, 4}, {4, 3, 1}}, Order::memory);
  CHECK(loops.inner_stride(0) == 1);
}

TEST_CASE("axes that are one are joined; without elements there is nothing to walk") {
  CHECK(loops_of({{2, 12, 12}, {3, 4, 4}, {4, 1, 1}}, Order::memory).rank() == 1);
  CHECK(loops_of({{2, 12, 0}, {3, 4, 0}, {4, 1, 0}}, Order::memory).rank() == 1);
  CHECK(loops_of({{2, 12, 0}, {3, 4, 1}, {4, 1, 0}}, Order::memory).rank() == 3);
  CHECK(loops_of({{int64_t{1} << 62, 1, 1}, {0, 1, 1}, {4, 1, 1}}, Order::memory).count() == 0);
}

TEST_CASE("large offsets take 64 bits") {
  CHECK(loops_of({{2, int64_t{1} << 31, 1}}, Order::memory).nest<2>().small == 0);
  CHECK(loops_of({{2, -(int64_t{1} << 31), 1}}, Order::memory).nest<2>().small == 0);
  CHECK(loops_of({{3, 1 << 20, 1}, {5, 1, 3}}, Order::memory).nest<2>().small == 1);
}
