#include <doctest/doctest.h>

#include <cmath>

#include "backend.h"
#include "ulp.h"

using namespace cpu_simd_test;

namespace {

template <class T> void check_pow(Backend& backend) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min(), top = std::numeric_limits<T>::max();
  const std::vector<T> values{0,      -T(0),   1,      -1,           2,   -2,   3,   -3,
                              T(0.5), T(-0.5), T(2.5), -7,           inf, -inf, nan, top,
                              -top,   tiny,    1e6f,   T(1.0000001), -33, 64};
  std::vector<T> x, y;
  for (T base : values)
    for (T exponent : values) x.push_back(base), y.push_back(exponent);
  std::vector<T> z(x.size());
  const tl_view a = view_of(x), b = view_of(y), out = view_of(z);
  REQUIRE(backend.zip(TL_ZIP_pow, {&a, &b}, out) == TL_OK);
  for (size_t i = 0; i < x.size(); ++i) {
    const T exact = static_cast<T>(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
    INFO(x[i], " ** ", y[i], " = ", z[i], ", not ", exact);
    CHECK(places_apart(z[i], exact) <= 1);
    if (exact == 0) CHECK(std::signbit(z[i]) == std::signbit(exact));
  }
}

int64_t repeated(int64_t x, int64_t n) {
  uint64_t result = 1;
  for (int64_t i = 0; i < n; ++i) result *= static_cast<uint64_t>(x);
  return static_cast<int64_t>(result);
}

}  // namespace

TEST_CASE("D08: pow is C's pow at zeros, infinities, NaN and negative bases") {
  for (const std::string& set : supported_sets()) {
    INFO(set);
    Backend backend(set);
    check_pow<float>(backend);
    check_pow<double>(backend);
  }
}

TEST_CASE("pow of int64 wraps like repeated multiplication, and is 0 for negative powers") {
  for (const std::string& set : supported_sets()) {
    Backend backend(set);
    const std::vector<int64_t> values{0, 1, -1, 2, -2, 3, 10, -7, 63, 64, 100};
    std::vector<int64_t> x, y;
    for (int64_t base : values)
      for (int64_t exponent : values) x.push_back(base), y.push_back(exponent);
    std::vector<int64_t> z(x.size());
    const tl_view a = view_of(x), b = view_of(y), out = view_of(z);
    REQUIRE(backend.zip(TL_ZIP_pow, {&a, &b}, out) == TL_OK);
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t odd = y[i] & 1, sign = x[i] == -1 && odd ? -1 : 1;
      const int64_t negative = x[i] == 1 || x[i] == -1 ? sign : 0;
      INFO(x[i], " ** ", y[i]);
      CHECK(z[i] == (y[i] < 0 ? negative : repeated(x[i], y[i])));
    }
  }
}
