// What is right, in float64: named primitives over arrays, as plain loops that share nothing with what is judged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "array.h"

namespace twin_command {

struct Values {
  Shape shape;
  std::vector<double> value;
  std::vector<double> scale;  ///< how large what it was made of is: what rounding errors are a part of
};

Values values_of(const Array& array);

/// "add(matmul(a, b), c)": names are looked up, numbers stand for themselves. BadInput for what isn't known or doesn't
/// fit together.
Values evaluate(const std::string& expression,
                const std::function<Values(const std::string& name)>& look_up);

/// The names of all primitives, with their arguments.
std::vector<std::string> primitives();

}  // namespace twin_command
