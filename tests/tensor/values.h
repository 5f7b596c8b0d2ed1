#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

inline tl::Tensor leaf(tl::NestedList values, tl::Dtype dtype = tl::float32) {
  return tl::tensor(values, {.dtype = dtype, .requires_grad = true});
}

/// Whether the tensor has this shape and these values: rel 1e-5 and abs 1e-6, NaN and inf exactly.
inline void check_values(const tl::Tensor& actual, const tl::Shape& shape,
                         const std::vector<double>& expected, double rtol = 1e-5, double atol = 1e-6) {
  CHECK(actual.shape().str() == shape.str());
  const std::vector<double> values = actual.to_vector<double>();
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    CAPTURE(i);
    CAPTURE(values[i]);
    CAPTURE(expected[i]);
    if (std::isnan(expected[i]))
      CHECK(std::isnan(values[i]));
    else if (std::isinf(expected[i]))
      CHECK(values[i] == expected[i]);
    else
      CHECK(std::abs(values[i] - expected[i]) <= atol + rtol * std::abs(expected[i]));
  }
}

inline void check_exact(const tl::Tensor& actual, const tl::Shape& shape,
                        const std::vector<double>& expected) {
  check_values(actual, shape, expected, 0, 0);
}

/// The text of the torchlight::Error that `f` throws; empty where it throws none.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const tl::Error& e) {
    return e.what();
  }
  return {};
}

/// f throws Error, and its text holds every one of these.
#define CHECK_RAISES(expression, ...)                               \
  do {                                                              \
    const std::string what = error_of([&] { (void)(expression); }); \
    CAPTURE(what);                                                  \
    CHECK_FALSE(what.empty());                                      \
    for (const std::string part : {__VA_ARGS__}) {                  \
      CAPTURE(part);                                                \
      CHECK(what.find(part) != std::string::npos);                  \
    }                                                               \
  } while (false)

/// Leaves NaN in recently freed memory of this many elements, so that an output that is never written shows.
inline void poison(std::int64_t elements) {
  for (int i = 0; i < 8; ++i) tl::full(elements, nan_value);
}
