#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/convert.cuh"
#include "kernels/map_functions.cuh"
#include "kernels/policies.cuh"
#include "kernels/zip_functions.cuh"

using namespace kernels;

namespace {

using Real = long double;
constexpr Real infinity = std::numeric_limits<Real>::infinity();

template <class T> std::vector<T> values() {
  const T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min(),
          normal = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<T> all = {0,
                        -T(0),
                        tiny,
                        -tiny,
                        normal,
                        -normal,
                        most,
                        -most,
                        inf,
                        -inf,
                        std::numeric_limits<T>::quiet_NaN(),
                        1,
                        -1,
                        0.5,
                        -0.5,
                        2.5,
                        -2.5,
                        88.7f,
                        -88.7f,
                        -103.9f,
                        104,
                        -104,
                        T(709.7),
                        T(-745.1),
                        1e-3f,
                        -1e-3f,
                        1e4f,
                        -1e4f};
  for (int i = -4000; i <= 4000; ++i) all.push_back(T(i) / T(256) + T(i) * T(1e-5));  // -15.7 … 15.7
  for (int i = -120; i <= 120; ++i) all.push_back(T(i) * T(0.987));
  for (int i = -40; i < 40; ++i) all.push_back(std::ldexp(T(1.37), i));
  return all;
}

template <class T> Real spacing(T x) {
  const T magnitude = std::fabs(x);
  if (!std::isfinite(magnitude)) return 0;
  return Real(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) - Real(magnitude);
}

/// Within `ulps` of the correctly rounded result, and `relative` and `absolute` beyond.
template <class T> bool agrees(T got, Real want, Real ulps, Real slack = 0) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(want)) return std::isnan(got);
  if (got == rounded) return true;
  if (std::isnan(got) || std::isinf(want)) return false;
  if (std::isinf(got) || std::isinf(rounded)) return false;
  return std::fabs(Real(got) - Real(rounded)) <= ulps * spacing(rounded) + slack;
}

template <class F, class T> T apply(T x, T a = 0, T b = 0) { return F::apply(x, None(), None(), a, b); }

template <class F, class T, class Want> void check_map(const char* name, Real ulps, const Want& want) {
  int wrong = 0;
  std::string first;
  for (const T x : values<T>()) {
    const T got = apply<F>(x);
    const Real expected = want(Real(x));
    if (agrees(got, expected, ulps)) continue;
    if (wrong++ == 0)
      first = std::string(name) + "(" + std::to_string(double(x)) + ") is " +
              std::to_string(double(got)) + ", should be " + std::to_string(double(expected));
  }
  INFO(first);
  CHECK(wrong == 0);
}

Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }
Real gelu(Real x) { return x == -infinity ? 0 : x * std::erfc(-x / std::sqrt(Real(2))) / 2; }

template <class T> void check_functions() {
  check_map<map_exp, T>("exp", 2, [](Real x) { return std::exp(x); });
  check_map<map_log, T>("log", 2, [](Real x) { return std::log(x); });
  check_map<map_tanh, T>("tanh", 2, [](Real x) { return std::tanh(x); });
  check_map<map_erf, T>("erf", 2, [](Real x) { return std::erf(x); });
  check_map<map_sigmoid, T>("sigmoid", 2, sigmoid);
  check_map<map_rsqrt, T>("rsqrt", 2, [](Real x) { return 1 / std::sqrt(x); });
  // The reference is rounded twice.
  check_map<map_sqrt, T>("sqrt", 1, [](Real x) { return std::sqrt(x); });
  check_map<map_reciprocal, T>("reciprocal", 1, [](Real x) { return 1 / x; });
  check_map<map_round, T>("round", 0, [](Real x) { return std::rint(x); });
  check_map<map_relu, T>("relu", 0, [](Real x) { return x < 0 ? Real(0) : x; });
  check_map<map_sign, T>("sign", 0, [](Real x) { return std::isnan(x) ? x : Real((x > 0) - (x < 0)); });
}

template <class T> void check_gelu() {
  for (const T x : values<T>()) {
    const Real want = gelu(Real(x)), slack = x <= -3 ? 1e-6L * std::fabs(want) : 0;
    CAPTURE(x);
    CHECK(agrees(apply<map_gelu>(x), want, 2, slack));
  }
}

/// Sums whose error is relative to the parts.
template <class T> Real gelu_slope(T y) {
  const Real x = y, density = x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(Real(-1)));
  return std::erfc(-x / std::sqrt(Real(2))) / 2 + (std::isinf(x) ? 0 : density);
}

}  // namespace

TEST_CASE("functions of float32 and float64 keep their bounds at the edges and between") {
  check_functions<float>();
  check_functions<double>();
}

TEST_CASE("gelu keeps two places down to -3, and is 0 at -inf") {
  check_gelu<float>();
  check_gelu<double>();
}

TEST_CASE("silu, gelu_tanh and softplus are right at infinities and NaN") {
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(apply<map_silu>(-inf) == 0);
  CHECK(apply<map_silu>(inf) == inf);
  CHECK(std::isnan(apply<map_silu>(nan)));
  CHECK(apply<map_gelu_tanh>(-inf) == 0);
  CHECK(apply<map_gelu_tanh>(inf) == inf);
  CHECK(std::isnan(apply<map_gelu_tanh>(nan)));
  CHECK(apply<map_softplus>(-inf, 1.0f, 20.0f) == 0);
  CHECK(apply<map_softplus>(inf, 1.0f, 20.0f) == inf);
  CHECK(std::isnan(apply<map_softplus>(nan, 1.0f, 20.0f)));
}

TEST_CASE("silu, gelu_tanh and softplus agree with their formulas") {
  for (const float x : values<float>()) {
    if (!std::isfinite(x) || std::fabs(x) > 100) continue;
    CAPTURE(x);
    const Real w = x, smallest = std::numeric_limits<float>::denorm_min();
    CHECK(agrees(apply<map_silu>(x), w * sigmoid(w), 4, 2 * std::fabs(w) * smallest));
    const Real u = 2 * std::sqrt(2 / std::acos(Real(-1))) * (w + 0.044715L * w * w * w), s = sigmoid(u);
    CHECK(agrees(apply<map_gelu_tanh>(x), w * s, 4 + 4 * std::fabs(u) * (1 - s),
                 2 * std::fabs(w) * smallest));
    CHECK(agrees(apply<map_softplus>(x, 1.0f, 1000.0f), std::log1p(std::exp(w)), 5));
  }
}

TEST_CASE("derivatives of gelu and silu agree with theirs") {
  const Real eps = std::numeric_limits<float>::epsilon();
  for (const float y : values<float>()) {
    if (!(std::fabs(y) < 80)) continue;
    CAPTURE(y);
    CHECK(std::fabs(zip_gelu_bw::apply<float>(1, y, None(), 0, 0) - gelu_slope(y)) <= 16 * eps);
    const Real s = sigmoid(y), slope = s * (1 + y * (1 - s));
    CHECK(std::fabs(zip_silu_bw::apply<float>(1, y, None(), 0, 0) - slope) <=
          8 * eps * (1 + std::fabs(Real(y))));
  }
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(zip_gelu_bw::apply<float>(3, inf, None(), 0, 0) == 3);
  CHECK(zip_gelu_bw::apply<float>(3, -inf, None(), 0, 0) == 0);
  CHECK(zip_silu_bw::apply<float>(3, inf, None(), 0, 0) == 3);
  CHECK(zip_silu_bw::apply<float>(3, -inf, None(), 0, 0) == 0);
  CHECK(zip_gelu_tanh_bw::apply<float>(3, -inf, None(), 0, 0) == 0);
}

TEST_CASE("NaN propagates through maximum, minimum and clamp") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(maximum(nan, 1.0)));
  CHECK(std::isnan(maximum(1.0, nan)));
  CHECK(std::isnan(minimum(nan, 1.0)));
  CHECK(std::isnan(minimum(1.0, nan)));
  CHECK(std::isnan(apply<map_clamp>(nan, -1.0, 1.0)));
  CHECK(apply<map_clamp>(0.0, 2.0, -1.0) == -1);  // the maximum has the last word
}

TEST_CASE("int64 wraps around; powers of negative exponent") {
  const Int most{INT64_MAX}, least{INT64_MIN};
  CHECK((most + Int{1}).value == INT64_MIN);
  CHECK((-least).value == INT64_MIN);
  CHECK(abs_of(least).value == INT64_MIN);
  CHECK(pow_of(Int{-2}, Int{3}).value == -8);
  CHECK(pow_of(Int{3}, Int{0}).value == 1);
  CHECK(pow_of(Int{-1}, Int{-3}).value == -1);
  CHECK(pow_of(Int{-1}, Int{-4}).value == 1);
  CHECK(pow_of(Int{5}, Int{-1}).value == 0);
  CHECK(pow_of(Int{2}, Int{64}).value == 0);
}

TEST_CASE("where selects and never multiplies") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(zip_where::apply<float>(Bool{1}, 2, nan, 0, 0) == 2);
  CHECK(zip_where::apply<float>(Bool{2}, 2, nan, 0, 0) == 2);
  CHECK(zip_where::apply<float>(Bool{0}, nan, 3, 0, 0) == 3);
}

TEST_CASE("halves: there and back, and rounded once from float64 and int64") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const BHalf brain{static_cast<uint16_t>(bits)};
    if (to_float(half) == to_float(half)) CHECK(to_float16(to_float(half)).bits == bits);
    if (to_float(brain) == to_float(brain)) CHECK(to_bfloat16(to_float(brain)).bits == bits);
  }
  // Halfway between two halves in float32's eyes, a little above it in truth.
  const double above = 1 + 0x1p-11 + 0x1p-40;
  CHECK(Convert<Half>::of(widen(above)).bits == 0x3c01);
  CHECK(Convert<Half>::of(widen(Int{65504})).bits == 0x7bff);
  CHECK(Convert<BHalf>::of(widen(Int{(int64_t{1} << 40) + (int64_t{1} << 32) + 1})).bits == 0x5381);
}

TEST_CASE("conversions to integers cut off, and don't trap beyond the range") {
  CHECK(Convert<Int>::of(widen(-1.9f)).value == -1);
  CHECK(Convert<uint8_t>::of(widen(254.9f)) == 254);
  CHECK(Convert<int32_t>::of(widen(-7.5)) == -7);
  CHECK(Convert<Int>::of(widen(1e300)).value == INT64_MIN);
  CHECK(Convert<Bool>::of(widen(std::numeric_limits<float>::quiet_NaN())).byte == 1);
}

TEST_CASE("the error of a sum doesn't grow with its length") {
  Total<float> total = Total<float>::zero();
  for (int i = 0; i < 10'000'000; ++i) total.add(0.1f);
  CHECK(total.result() == doctest::Approx(1e6).epsilon(1e-6));
  Total<double> wide = Total<double>::zero();
  for (int i = 0; i < 1000; ++i) wide.add(1e16), wide.add(1), wide.add(-1e16);
  CHECK(wide.result() == 1000);
}

TEST_CASE("argmax: the first of equals, NaN before all, in any order of joining") {
  using Policy = reduce_argmax<double>;
  const std::vector<double> line = {1, 3, 3, std::nan(""), 7, std::nan("")};
  auto late = Policy::identity(), early = Policy::identity();
  for (int i = 5; i >= 3; --i) Policy::step(late, line[i], i);
  for (int i = 0; i < 3; ++i) Policy::step(early, line[i], i);
  CHECK(Policy::finish(early).value == 1);
  auto joined = late;
  Policy::join(joined, early);
  CHECK(Policy::finish(joined).value == 3);
  Policy::join(early, late);
  CHECK(Policy::finish(early).value == 3);
}
