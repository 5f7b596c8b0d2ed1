#pragma once

#include <cstdint>
#include <vector>

#include "case.h"

/// What single rows of ops.def want their cases to hold.
namespace torchlight::test {

using ParamSets = std::vector<std::vector<double>>;
/// The first set is used in all cases of the row, the others in a few.
ParamSets param_sets(const Row& map_row, Dtype dtype);
std::vector<double> zip_params(const Row& row, Dtype dtype);

/// What x, y and z of a zip hold.
struct ZipFills {
  const char* name;
  Fill x, y, z;
};
/// Where most results are plain numbers: pow of anything by anything is mostly NaN.
ZipFills easy_zip_fills(const Row& row);
Fill easy_reduce_fill(std::uint32_t fn);

/// Whether reducing nothing is an error of the core.
bool needs_elements(std::uint32_t reduce_fn);
/// The shape with 1 where the mask has a bit.
Shape reduced(const Shape& shape, std::uint32_t axis_mask);

}  // namespace torchlight::test
