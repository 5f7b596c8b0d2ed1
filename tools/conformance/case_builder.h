#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "case.h"

/// What the lists of cases are written with.
namespace torchlight::test {

inline Operand dense(Dtype dtype, const Shape& shape, Values values = {}) {
  return {dtype, arrange(shape), values};
}
inline Operand laid(Dtype dtype, const Shape& shape, Arrangement arrangement, Values values = {},
                    std::uint64_t seed = 1) {
  return {dtype, arrange(shape, arrangement, seed), values};
}
inline Operand absent() {
  Operand none;
  none.present = false;
  return none;
}

/// Joins the parts of a case's name: "map/exp/float32/1025".
template <class... Parts> std::string path(const std::string& first, const Parts&... more) {
  std::string joined = first;
  (joined.append("/").append(more), ...);
  return joined;
}

/// Lengths around the widths of registers and their unrollings.
inline std::vector<std::int64_t> line_lengths() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 0; n <= 40; ++n) lengths.push_back(n);
  lengths.insert(lengths.end(), {63, 64, 65, 127, 128, 129, 255, 257, 1025});
  return lengths;
}

/// Ranks 0 to 8, extents of 0 and 1.
inline std::vector<Shape> odd_shapes() {
  return {{},
          {0},
          {3, 0, 2},
          {1, 1, 1},
          {1, 37},
          {37, 1},
          {7, 33},
          {3, 1, 17},
          {2, 3, 4, 5},
          {2, 3, 1, 2, 5},
          {2, 0, 3, 1, 2, 1},
          {1, 2, 1, 3, 1, 2, 4},
          {2, 1, 3, 1, 2, 1, 2, 3}};
}

/// Longer than any tile, with a tail.
inline constexpr std::int64_t long_line = 70'001;

}  // namespace torchlight::test
