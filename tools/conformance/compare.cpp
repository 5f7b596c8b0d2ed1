#include <cmath>
#include <cstdio>

#include "stage.h"

namespace torchlight::test {
namespace {

std::string number(Real x) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.17Lg", x);
  return buffer;
}

std::string place_text(std::size_t i, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    const auto n = static_cast<std::size_t>(shape[k]);
    index[k] = static_cast<std::int64_t>(i % n);
    i /= n;
  }
  std::string text = "[";
  for (std::int64_t at : index) text.append(text.size() > 1 ? "," : "").append(std::to_string(at));
  return text.append("]");
}

std::string difference(const char* slot_name, const reference::Result& want, std::size_t i, Real got,
                       std::size_t wrong) {
  return std::string(slot_name) + place_text(i, want.shape) + " is " + number(got) + ", should be " +
         number(round_to(want.dtype, want.value[i])) + " ± " + number(want.tolerance[i]) + " (" +
         std::to_string(wrong) + " of " + std::to_string(want.value.size()) + " are wrong)";
}

std::string compare_output(const char* slot_name, const reference::Result& want,
                           const std::vector<std::byte>& got) {
  const std::size_t size = size_of(want.dtype);
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < want.value.size(); ++i) {
    const std::byte* element = &got[i * size];
    const bool unwritten = std::isnan(want.value[i]) && OperandMemory::is_poison(want.dtype, element);
    if (unwritten || !agrees(want, i, load(want.dtype, element))) {
      if (wrong++ == 0) first = i;
    }
  }
  if (wrong == 0) return {};
  return difference(slot_name, want, first, load(want.dtype, &got[first * size]), wrong);
}

void measure_output(const reference::Result& want, const std::vector<std::byte>& got,
                    Distance& distance) {
  if (!is_float(want.dtype)) return;
  const std::size_t size = size_of(want.dtype);
  for (std::size_t i = 0; i < want.value.size(); ++i) {
    const Real value = load(want.dtype, &got[i * size]), tolerance = want.tolerance[i];
    const Real rounded = round_to(want.dtype, want.value[i]);
    if (!std::isfinite(value) || !std::isfinite(rounded) || !std::isfinite(tolerance)) continue;
    distance.is_known = true;
    const auto ulp = static_cast<double>(ulp_distance(want.dtype, value, want.value[i]));
    distance.ulp = std::max(distance.ulp, ulp);
    if (tolerance > 0)
      distance.of_bound =
          std::max(distance.of_bound, static_cast<double>(std::fabs(value - rounded) / tolerance));
  }
}

}  // namespace

Distance measure(const Case& c, const std::vector<reference::Result>& want, const Execution& got) {
  Distance distance;
  for (std::size_t i = 0; i < c.operands.size(); ++i)
    if (slots(c.op)[i].is_output && c.operands[i].present)
      measure_output(want[i], got.outputs[i], distance);
  return distance;
}

std::string compare(const Case& c, const std::vector<reference::Result>& want, const Execution& got) {
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const Slot& s = slots(c.op)[i];
    if (!s.is_output || !c.operands[i].present) continue;
    const std::string text = compare_output(s.name, want[i], got.outputs[i]);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace torchlight::test
