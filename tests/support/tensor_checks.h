#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <torchlight/tensor.h>

/// Checks for tests that see the public API only.
namespace torchlight::test {

/// The same shape, and every element within atol + rtol · |wanted|; NaN only where NaN is wanted.
inline void check_close(const Tensor& got, const Shape& shape, const std::vector<double>& wanted,
                        double rtol = 1e-5, double atol = 1e-6) {
  REQUIRE(got.shape().str() == shape.str());
  const std::vector<double> values = got.to_vector<double>();
  REQUIRE(values.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    CAPTURE(values[i]);
    CAPTURE(wanted[i]);
    if (std::isnan(wanted[i]))
      CHECK(std::isnan(values[i]));
    else
      CHECK((values[i] == wanted[i] ||
             std::abs(values[i] - wanted[i]) <= atol + rtol * std::abs(wanted[i])));
  }
}

/// The text of the E that `fn` throws; "" if it throws none.
template <class E = Error, class F> std::string error_of(F fn) {
  try {
    fn();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

/// Whether `text` has all `parts` in it.
template <class... Parts> bool says(const std::string& text, const Parts&... parts) {
  return ((text.find(parts) != std::string::npos) && ...);
}

}  // namespace torchlight::test
