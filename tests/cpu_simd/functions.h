#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backend.h"

namespace cpu_simd_test {

/// A function of ops.def, what it is in more digits, and how far it may be from that.
struct Function {
  std::string name;
  uint32_t id;
  std::vector<double> params;
  double (*in_double)(double);
  long double (*in_long_double)(long double);
  int64_t most_places = 2;  ///< from the correctly rounded result
  double most_relative = 0;
  /// Below it the relative bound holds instead.
  double places_above = -std::numeric_limits<double>::infinity();
};

const std::vector<Function>& functions();

}  // namespace cpu_simd_test
