#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <torchlight/ops.h>
#include <torchlight/state_dict.h>

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

/// The same names in the same order, with the same dtypes, shapes and values; NaN is equal to nothing.
inline void check_same(const StateDict& got, const StateDict& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(wanted[i].name);
    CHECK(got[i].name == wanted[i].name);
    CHECK(got[i].tensor.dtype() == wanted[i].tensor.dtype());
    CHECK(got[i].tensor.shape() == wanted[i].tensor.shape());
    CHECK(got[i].tensor.to(float64).to_vector<double>() ==
          wanted[i].tensor.to(float64).to_vector<double>());
  }
}

}  // namespace torchlight::test
