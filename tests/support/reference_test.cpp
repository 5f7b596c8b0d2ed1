// The reference against numbers that were worked out by hand or stand in other people's papers.
#include "reference.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <torchlight/ext/random.h>

using namespace torchlight::test;
using reference::Array;

namespace {

constexpr Real inf = std::numeric_limits<Real>::infinity();
constexpr Real NaN = std::numeric_limits<Real>::quiet_NaN();

Array array(Shape shape, std::vector<Real> at, Dtype dtype = Dtype::float32) {
  return {dtype, std::move(shape), std::move(at)};
}
Array line(std::vector<Real> at, Dtype dtype = Dtype::float32) {
  const auto n = static_cast<std::int64_t>(at.size());
  return array({n}, std::move(at), dtype);
}

void check_near(const std::vector<Real>& got, const std::vector<Real>& want, Real tolerance = 1e-7L) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    if (std::isnan(want[i]))
      CHECK(std::isnan(got[i]));
    else if (std::isinf(want[i]))
      CHECK(got[i] == want[i]);
    else
      CHECK(std::fabs(got[i] - want[i]) <= tolerance);
  }
}

Real map1(std::uint32_t fn, Real x, std::vector<double> params = {}, Dtype dtype = Dtype::float64) {
  return reference::map(fn, dtype, x, params).value;
}
Real zip1(std::uint32_t fn, Real x, Real y, Real z = 0, std::vector<double> params = {},
          Dtype dtype = Dtype::float64) {
  return reference::zip(fn, dtype, x, y, z, params).value;
}

}  // namespace

TEST_CASE("reference: functions have their known values and limits") {
  check_near(
      {map1(TL_MAP_exp, 1), map1(TL_MAP_log, 10), map1(TL_MAP_erf, 0.5L), map1(TL_MAP_tanh, 0.5L)},
      {2.718281828459045L, 2.302585092994046L, 0.5204998778130465L, 0.4621171572600098L}, 1e-15L);
  check_near(
      {map1(TL_MAP_gelu, 1), map1(TL_MAP_gelu_tanh, 1), map1(TL_MAP_silu, 1), map1(TL_MAP_sigmoid, -1)},
      {0.8413447460685429L, 0.8411919906082768L, 0.7310585786300049L, 0.2689414213699951L}, 1e-15L);
  check_near({map1(TL_MAP_softplus, 1, {1, 20}), map1(TL_MAP_softplus, 21, {1, 20}),
              map1(TL_MAP_softplus, -800, {1, 20})},
             {1.3132616875182228L, 21, 0}, 1e-15L);
  for (std::uint32_t fn : {TL_MAP_gelu, TL_MAP_gelu_tanh, TL_MAP_silu}) {
    CHECK(map1(fn, -inf) == 0);
    CHECK(map1(fn, inf) == inf);
    CHECK(std::isnan(map1(fn, NaN)));
  }
}

TEST_CASE("reference: rounding and comparison follow ops.def") {
  CHECK(map1(TL_MAP_round, 2.5L) == 2);
  CHECK(map1(TL_MAP_round, -3.5L) == -4);
  CHECK(map1(TL_MAP_clamp, 5, {2, -1}) == -1);
  CHECK(std::isnan(map1(TL_MAP_clamp, NaN, {0, 1})));
  CHECK(std::isnan(map1(TL_MAP_relu, NaN)));
  CHECK(std::isnan(map1(TL_MAP_sign, NaN)));
  CHECK(map1(TL_MAP_logical_not, NaN) == 0);
  CHECK(map1(TL_MAP_add_scalar, 1, {0.1}, Dtype::float32) ==
        1 + 0.1F);  // the parameter is a float, too
  CHECK(std::isnan(zip1(TL_ZIP_maximum, NaN, 1)));
  CHECK(std::isnan(zip1(TL_ZIP_minimum, 1, NaN)));
  CHECK(std::isnan(zip1(TL_ZIP_clamp_tensor, 1, 0, NaN)));
  CHECK(zip1(TL_ZIP_where, 1, 2, NaN) == 2);
  CHECK(zip1(TL_ZIP_addcmul, 1, 2, 3, {0.5}) == 4);
}

TEST_CASE("reference: int64 wraps, and its powers are repeated products") {
  const auto i64 = Dtype::int64;
  CHECK(zip1(TL_ZIP_add, Real(INT64_MAX), 1, 0, {}, i64) == Real(INT64_MIN));
  CHECK(map1(TL_MAP_neg, Real(INT64_MIN), {}, i64) == Real(INT64_MIN));
  CHECK(zip1(TL_ZIP_pow, 3, 5, 0, {}, i64) == 243);
  CHECK(zip1(TL_ZIP_pow, -2, 63, 0, {}, i64) == Real(INT64_MIN));
  CHECK(zip1(TL_ZIP_pow, 2, 64, 0, {}, i64) == 0);
  CHECK(zip1(TL_ZIP_pow, -1, -3, 0, {}, i64) == -1);
  CHECK(zip1(TL_ZIP_pow, 5, -1, 0, {}, i64) == 0);
  CHECK(zip1(TL_ZIP_pow, 0, 0, 0, {}, i64) == 1);
}

TEST_CASE("reference: derivatives are differences of their functions") {
  const Real h = 1e-6L;
  const struct {
    std::uint32_t fn, of;
    std::vector<double> params;
  } pairs[] = {
      {TL_ZIP_gelu_bw, TL_MAP_gelu, {}},       {TL_ZIP_gelu_tanh_bw, TL_MAP_gelu_tanh, {}},
      {TL_ZIP_silu_bw, TL_MAP_silu, {}},       {TL_ZIP_softplus_bw, TL_MAP_softplus, {2, 5}},
      {TL_ZIP_relu_bw, TL_MAP_relu, {}},       {TL_ZIP_leaky_relu_bw, TL_MAP_leaky_relu, {0.25}},
      {TL_ZIP_clamp_bw, TL_MAP_clamp, {-1, 1}}};
  for (const auto& pair : pairs) {
    for (Real y : {-2.3L, -0.7L, 0.4L, 1.9L, 4.0L}) {
      const Real slope =
          (map1(pair.of, y + h, pair.params) - map1(pair.of, y - h, pair.params)) / (2 * h);
      CHECK(std::fabs(zip1(pair.fn, 3, y, 0, pair.params) - 3 * slope) < 1e-8L);
    }
  }
  const Real s = map1(TL_MAP_sigmoid, 0.7L), t = map1(TL_MAP_tanh, 0.7L);
  const Real ds = (map1(TL_MAP_sigmoid, 0.7L + h) - map1(TL_MAP_sigmoid, 0.7L - h)) / (2 * h);
  const Real dt = (map1(TL_MAP_tanh, 0.7L + h) - map1(TL_MAP_tanh, 0.7L - h)) / (2 * h);
  CHECK(std::fabs(zip1(TL_ZIP_sigmoid_bw, 1, s) - ds) < 1e-8L);
  CHECK(std::fabs(zip1(TL_ZIP_tanh_bw, 1, t) - dt) < 1e-8L);
}

TEST_CASE("reference: copy converts as C++ does, once") {
  const auto copy = [](Real x, Dtype from, Dtype to) {
    const auto r = reference::map(TL_MAP_copy, line({x}, from), to, {});
    return round_to(to, r.value[0]);
  };
  CHECK(copy(-2.9L, Dtype::float32, Dtype::int64) == -2);
  CHECK(copy(NaN, Dtype::float32, Dtype::boolean) == 1);
  CHECK(copy(300, Dtype::int64, Dtype::uint8) == 44);
  CHECK(copy(-1, Dtype::int64, Dtype::uint8) == 255);
  CHECK(copy(Real(INT64_MAX), Dtype::int64, Dtype::float32) == 0x1p63L);
  // Through float32 this would round twice, to 1 + 2^-10 + 2^-11.
  CHECK(copy(1 + 0x1p-11L + 0x1p-40L, Dtype::float64, Dtype::float16) == 1 + 0x1p-10L);
  const auto beyond = reference::map(TL_MAP_copy, line({256}, Dtype::float32), Dtype::uint8, {});
  CHECK(reference::agrees(beyond, 0, 77));  // any value
}

TEST_CASE("reference: reductions keep their identities, find NaN and count positions") {
  const Array x = array({2, 3}, {1, 5, 5, -2, NaN, 7});
  check_near(reference::reduce(TL_REDUCE_max, x, 2).value, {5, NaN});
  check_near(reference::reduce(TL_REDUCE_argmax, x, 2).value, {1, 1});
  check_near(reference::reduce(TL_REDUCE_argmin, x, 3).value, {4});
  check_near(reference::reduce(TL_REDUCE_sum, x, 1).value, {-1, NaN, 12});
  check_near(reference::reduce(TL_REDUCE_sum, x, 0).value, x.at);
  const Array none = array({2, 0}, {});
  check_near(reference::reduce(TL_REDUCE_sum, none, 2).value, {0, 0});
  check_near(reference::reduce(TL_REDUCE_prod, none, 2).value, {1, 1});
  check_near(reference::reduce(TL_REDUCE_all, none, 2).value, {1, 1});
  check_near(reference::reduce(TL_REDUCE_any, none, 2).value, {0, 0});
  CHECK(reference::reduce(TL_REDUCE_max, none, 1).value.empty());
  check_near(reference::scan(TL_REDUCE_sum, x, 0, false).value, {1, 5, 5, -1, NaN, 12});
  check_near(reference::scan(TL_REDUCE_max, x, 1, true).value, {5, 5, 5, NaN, NaN, 7});
}

TEST_CASE("reference: matmul broadcasts over batches, scales, adds and activates") {
  const Array a = array({2, 2}, {1, 2, 3, 4}), b = array({2, 2}, {5, 6, 7, 8});
  const Array before = array({2, 2}, {1, 1, 1, 1}), bias = array({2, 2}, {-100, 1, -100, 1});
  check_near(reference::matmul(a, b, {}, before, {}).value, {19, 22, 43, 50});
  check_near(reference::matmul(a, b, bias, before, {0.5, 10, TL_MAP_relu}).value, {0, 22, 0, 36});
  const Array poison = array({2, 2}, {NaN, NaN, NaN, NaN});
  check_near(reference::matmul(array({2, 0}, {}), array({0, 2}, {}), {}, poison, {}).value,
             {0, 0, 0, 0});
  // q = 0 … 15 as (batch, heads, rows, columns) after exchanging axes 1 and 2, times its transpose
  const Array p = array({2, 2, 2, 2}, {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
  const Array q = array({2, 2, 2, 2}, {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15});
  const Array zeros = array({2, 2, 2, 2}, std::vector<Real>(16));
  check_near(reference::matmul(p, q, {}, zeros, {}).value,
             {1, 5, 5, 41, 13, 33, 33, 85, 145, 213, 213, 313, 221, 305, 305, 421});
}

TEST_CASE("B01: softmax of rows that are masked everywhere is 0, forward and backward") {
  const Array x = array({2, 3}, {1, 2, 3, 1, 2, 3}),
              mask = array({2, 3}, {0, 0, -inf, -inf, -inf, -inf});
  const auto y = reference::softmax(x, mask, {});
  check_near(y.value, {0.26894142L, 0.73105858L, 0, 0, 0, 0}, 1e-8L);
  const Array dy = array({2, 3}, {1, 0, 0, 1, 1, 1}), soft = array({2, 3}, y.value);
  check_near(reference::softmax_gradient(dy, soft, 1).value, {0.19661193L, -0.19661193L, 0, 0, 0, 0},
             1e-8L);
}

TEST_CASE("reference: causal softmax doesn't look at what it leaves out") {
  const Array x = array({2, 3}, {0, NaN, NaN, 0, 0, NaN});
  check_near(reference::softmax(x, {}, {1, true, 0}).value, {1, 0, 0, 0.5L, 0.5L, 0});
  check_near(reference::softmax(x, {}, {1, true, -1}).value, {0, 0, 0, 1, 0, 0});
  check_near(reference::softmax(line({3e38L, -3e38L}), {}, {}).value, {1, 0});
  check_near(reference::softmax(line({inf, 0}), {}, {}).value, {NaN, NaN});
}

TEST_CASE("B07, B09: layernorm by hand, forward and backward") {
  const Array constant = line(std::vector<Real>(256, 1234)), half = line(std::vector<Real>(256, 0.5L));
  const auto flat = reference::layernorm(constant, {}, half, 1e-5, 1);
  check_near(flat.output.value, half.at, 0);
  CHECK(flat.rstd.value[0] == doctest::Approx(316.22777));
  const Array x = line({1, 2, 3, 4}), gamma = line({1, 2, 1, 1}), dy = line({1, 1, 1, 1});
  const auto g = reference::layernorm_gradient(dy, x, gamma, 1e-5, 1);
  check_near(g.dinput.value, {-0.35776837L, 0.62609689L, -0.17888508L, -0.08944344L}, 1e-7L);
  check_near(g.dgamma.value, {-1.3416354L, -0.4472118L, 0.4472118L, 1.3416354L}, 1e-6L);
  check_near(g.dbeta.value, {1, 1, 1, 1}, 0);
  const auto b07 =
      reference::layernorm_gradient(line({1, 0, 0, 0}), line({1234, 1234, 1234, 1234}), {}, 1e-5, 1);
  check_near(b07.dinput.value, {237.17082L, -79.056942L, -79.056942L, -79.056942L}, 1e-4L);
}

TEST_CASE("reference: gather and scatter_add follow their index") {
  const Array source = array({2, 3}, {1, 2, 3, 4, 5, 6});
  const Array index = array({2, 2}, {2, 0, 1, 1}, Dtype::int64);
  check_near(reference::gather(source, index, 1).value, {3, 1, 5, 5});
  const Array zeros = array({2, 3}, std::vector<Real>(6));
  const Array two = array({2, 2}, {10, 20, 30, 40});
  check_near(reference::scatter_add(two, index, zeros, 1).value, {20, 0, 10, 0, 70, 0});
}

TEST_CASE("reference: Philox gives the numbers that its authors published") {
  using Block = std::array<std::uint32_t, 4>;
  CHECK(reference::philox({0, 0, 0, 0}, {0, 0}) ==
        Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(reference::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(reference::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("reference: random numbers are cut from Philox as ext/random.h says") {
  const auto uniform = reference::random(TL_RANDOM_UNIFORM, Dtype::float32, {5}, {0, 0, 0, 1});
  CHECK(uniform.value[0] == std::ldexp(Real(0x6627e8d5 >> 8), -24));
  CHECK(uniform.value[3] == std::ldexp(Real(0x9b00dbd8 >> 8), -24));
  const auto next = reference::random(TL_RANDOM_UNIFORM, Dtype::float32, {1}, {0, 1, 0, 1});
  CHECK(uniform.value[4] == next.value[0]);
  const auto wide = reference::random(TL_RANDOM_UNIFORM, Dtype::float64, {2}, {0, 0, 0, 1});
  CHECK(wide.value[0] == std::ldexp(Real(0xe169c58d6627e8d5u >> 11), -53));
  CHECK(wide.value[1] == std::ldexp(Real(0x9b00dbd8bc57ac4cu >> 11), -53));
  const auto whole = reference::random(TL_RANDOM_INTEGER, Dtype::int64, {1}, {0, 0, -5, 12});
  CHECK(whole.value[0] == -5 + Real(0xe169c58d6627e8d5u % 17));
  const auto normal = reference::random(TL_RANDOM_NORMAL, Dtype::float64, {20'000}, {3, 0, 0, 1});
  Real sum = 0, squares = 0;
  for (Real z : normal.value) sum += z, squares += z * z;
  CHECK(std::fabs(sum / 20'000) < 0.03L);
  CHECK(std::fabs(squares / 20'000 - 1) < 0.03L);
}

TEST_CASE("agrees: a result must be the rounded value, or within the tolerance of it") {
  reference::Result want(Dtype::float32, {1});
  const auto says = [&](Real value, Real tolerance, Real got) {
    want.set(0, value, tolerance);
    return reference::agrees(want, 0, got);
  };
  CHECK(says(0.1L, 0, 0.1F));
  CHECK_FALSE(says(0.1L, 0, std::nextafter(0.1F, 1.0F)));
  CHECK(says(0.1L, 1e-7L, std::nextafter(0.1F, 1.0F)));
  CHECK(says(NaN, 0, NaN));
  CHECK_FALSE(says(NaN, 1e9L, 1));
  CHECK_FALSE(says(1, 1e9L, NaN));
  CHECK(says(inf, 0, inf));
  CHECK_FALSE(says(inf, inf, largest(Dtype::float32)));
  CHECK_FALSE(says(inf, 0, -inf));
  CHECK(says(1e39L, 0, inf));
  CHECK_FALSE(says(1e30L, 1, inf));
  CHECK(says(largest(Dtype::float32), 0x1p104L, inf));
  CHECK(says(-0.0L, 0, 0));
  want.signs_of_zero = true;
  CHECK_FALSE(says(-0.0L, 0, 0));
  CHECK(says(-0.0L, 0, -0.0L));
}
