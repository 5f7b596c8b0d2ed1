#include "compare.h"

#include <cmath>

#include "text.h"

namespace twin_command {
namespace {

std::string place_of(std::int64_t index, const Shape& shape) {
  std::string text;
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(shape[dim], 1);
    text = std::to_string(dim ? index % extent : index) + (text.empty() ? "" : ",") + text;
    index /= extent;
  }
  return "[" + (text.empty() ? "0" : text) + "]";
}

}  // namespace

double usual_tolerance(Element element) {
  switch (element) {
    case Element::f32: return 1e-4;
    case Element::f64: return 1e-10;
    case Element::f16: return 4e-3;
    case Element::bf16: return 3e-2;
    default: return 1e-9;
  }
}

Comparison compare(const std::string& name, const Array& got, const Values& right, double tolerance) {
  Comparison result;
  result.count = got.count();
  if (tolerance <= 0) tolerance = usual_tolerance(got.element);
  if (result.count != static_cast<std::int64_t>(right.value.size())) {
    result.text = format("%s has %lld elements, %zu are right", name.c_str(),
                         static_cast<long long>(result.count), right.value.size());
    return result;
  }
  std::int64_t first = -1;
  for (std::int64_t k = 0; k < result.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double value = got.at(k), wanted = right.value[at];
    bool good = value == wanted;  // infinities, too
    if (!good && std::isfinite(value) && std::isfinite(wanted)) {
      const double allowed = tolerance * (std::max(std::fabs(wanted), right.scale[at]) + 1e-6);
      const double error = std::fabs(value - wanted) / allowed;
      result.largest_error = std::max(result.largest_error, error);
      good = error <= 1;
    }
    // For whole numbers the poison may be the right one.
    const bool untouched = got.is_poisoned(k) && !good;
    if (good) continue;
    ++result.wrong;
    result.untouched += untouched;
    result.nan += std::isnan(value) && !untouched;
    if (first < 0) first = k;
  }
  result.passed = result.wrong == 0;
  if (result.passed) {
    result.text =
        format("%s: right, at most %.2g of what is allowed", name.c_str(), result.largest_error);
    return result;
  }
  const double value = got.at(first), wanted = right.value[static_cast<std::size_t>(first)];
  const std::string place = name + place_of(first, got.shape);
  result.text = got.is_poisoned(first)
                    ? format("%s was never written, %.9g is right", place.c_str(), wanted)
                    : format("%s is %.9g, %.9g is right", place.c_str(), value, wanted);
  result.text += format(" (%lld of %lld are wrong", static_cast<long long>(result.wrong),
                        static_cast<long long>(result.count));
  if (result.untouched)
    result.text += format(", %lld never written", static_cast<long long>(result.untouched));
  if (result.nan) result.text += format(", %lld NaN", static_cast<long long>(result.nan));
  result.text += ")";
  return result;
}

nlohmann::ordered_json json_of(const Comparison& c) {
  return {{"passed", c.passed}, {"count", c.count},
          {"wrong", c.wrong},   {"never_written", c.untouched},
          {"nan", c.nan},       {"of_allowed", c.largest_error},
          {"text", c.text}};
}

}  // namespace twin_command
