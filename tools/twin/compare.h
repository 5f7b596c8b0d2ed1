// Whether an array holds what is right.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "array.h"
#include "reference.h"

namespace twin_command {

struct Comparison {
  bool passed = false;
  std::int64_t wrong = 0, nan = 0, untouched = 0, count = 0;
  double largest_error = 0;  ///< as a part of what is allowed
  std::string text;  ///< "right, at most 0.12 of what is allowed", or the first element that is wrong
};

/// |got - right| <= tolerance * max(|right|, its scale). A NaN is never right, nor is what was never written.
/// A tolerance of 0: by the element type.
Comparison compare(const std::string& name, const Array& got, const Values& right, double tolerance);
double usual_tolerance(Element element);

nlohmann::ordered_json json_of(const Comparison& comparison);

}  // namespace twin_command
