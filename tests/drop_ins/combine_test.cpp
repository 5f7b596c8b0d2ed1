// The functions of combine.so, reduce and matmul, by the ABI's rules, against float64.
#include <doctest/doctest.h>

#include <limits>

#include "kernels.h"
#include "tensor.h"

using namespace test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr const char* combines[][2] = {{"combine", ""}, {"combine", "few_ids"}};

Probed probed("combine.so");

DropIns& combine(const std::string& behaviour) { return probed.get("combine", behaviour); }

template <class Args> bool done(DropIns& drop_ins, const Args& args) {
  std::string error;
  if (!drop_ins.takes(args)) return false;
  CHECK(drop_ins.run(args, error) == TL_OK);
  CHECK(error == "");
  return true;
}

struct MapRow {
  std::uint32_t fn;
  double (*apply)(double);
  bool few;  ///< a library that knows few functions does it, too
};
const MapRow map_rows[] = {
    {TL_MAP_copy, [](double x) { return x; }, true},
    {TL_MAP_neg, [](double x) { return -x; }, true},
    {TL_MAP_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, true},
    {TL_MAP_relu, [](double x) { return std::isnan(x) ? x
                                        : x > 0       ? x
                                                      : 0; }, true},
    {TL_MAP_exp, [](double x) { return std::exp(x); }, true},
    {TL_MAP_reciprocal, [](double x) { return 1 / x; }, true},
    {TL_MAP_tanh, [](double x) { return std::tanh(x); }, true},
    {TL_MAP_sqrt, [](double x) { return std::sqrt(x); }, false},
    {TL_MAP_abs, [](double x) { return std::abs(x); }, false},
};

struct ZipRow {
  std::uint32_t fn;
  double (*apply)(double, double);
  bool few;
};
double propagating(double a, double b, double result) {
  return std::isnan(a) || std::isnan(b) ? NAN : result;
}
const ZipRow zip_rows[] = {
    {TL_ZIP_add, [](double a, double b) { return a + b; }, true},
    {TL_ZIP_mul, [](double a, double b) { return a * b; }, true},
    {TL_ZIP_maximum, [](double a, double b) { return propagating(a, b, std::max(a, b)); }, true},
    {TL_ZIP_minimum, [](double a, double b) { return propagating(a, b, std::min(a, b)); }, false},
    {TL_ZIP_pow, [](double a, double b) { return std::pow(a, b); }, true},
    {TL_ZIP_relu_bw, [](double a, double b) { return b > 0 ? a : 0; }, true},
    {TL_ZIP_sub, [](double a, double b) { return a - b; }, false},
    {TL_ZIP_div, [](double a, double b) { return a / b; }, false},
    {TL_ZIP_sigmoid_bw, [](double a, double b) { return a * b * (1 - b); }, false},
};

}  // namespace

TEST_CASE("combine: map, with NaN and infinities as the ABI has them") {
  for (const auto& [stand_in, behaviour] : combines)
    for (const MapRow& row : map_rows) {
      CAPTURE(row.fn);
      Tensor<> x({2, 7}), y({2, 7});
      x.random(1, 4);
      x.values[0] = NAN, x.values[1] = inf, x.values[2] = -inf, x.values[3] = -0.0f;
      tl_map_args args{};
      args.fn = row.fn;
      args.input = &x.view;
      args.output = &y.view;
      const bool few = std::string(behaviour) == "few_ids";
      REQUIRE(done(combine(behaviour), args) == (row.few || !few));
      for (int i = 0; i < 14 && (row.few || !few); ++i)
        CHECK(excess(y[i], row.apply(x[i]), 1e-5, 1e-37) == 0);
    }
}

TEST_CASE("combine: zip, with broadcast operands") {
  for (const auto& [stand_in, behaviour] : combines)
    for (const ZipRow& row : zip_rows) {
      CAPTURE(row.fn);
      Tensor<> a({3, 5}), b({5}), y({3, 5});
      a.random(1, 4);
      b.random(2, 4);
      a.values[0] = NAN, a.values[7] = inf;
      if (row.fn != TL_ZIP_relu_bw) b.values[3] = NAN;
      b.view.rank = 2;
      b.view.extent[0] = 3, b.view.extent[1] = 5, b.view.stride[0] = 0, b.view.stride[1] = 1;
      tl_zip_args args{};
      args.fn = row.fn;
      args.input_count = 2;
      args.inputs[0] = &a.view;
      args.inputs[1] = &b.view;
      args.output = &y.view;
      const bool few = std::string(behaviour) == "few_ids";
      REQUIRE(done(combine(behaviour), args) == (row.few || !few));
      for (int i = 0; i < 15 && (row.few || !few); ++i)
        CHECK(excess(y[i], row.apply(a[i], b[i % 5]), 1e-5, 1e-37) == 0);
    }
}

TEST_CASE("combine: comparisons give bool") {
  Tensor<> a({6}), b({6});
  Tensor<std::uint8_t> y({6});
  a.values = {1, 2, 3, NAN, -0.0f, inf};
  b.values = {2, 2, 2, 2, 0, inf};
  tl_zip_args args{};
  args.input_count = 2;
  args.inputs[0] = &a.view;
  args.inputs[1] = &b.view;
  args.output = &y.view;
  args.fn = TL_ZIP_lt;
  REQUIRE(done(combine(""), args));
  CHECK(y.values == std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0});
  args.fn = TL_ZIP_eq;
  REQUIRE(done(combine(""), args));
  CHECK(y.values == std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1});
  args.fn = TL_ZIP_gt;
  REQUIRE(done(combine(""), args));
  CHECK(y.values == std::vector<std::uint8_t>{0, 0, 1, 0, 0, 0});
}

TEST_CASE("combine: reduce over any axes") {
  Tensor<> x({3, 4, 5});
  x.random(1);
  x.values[7] = NAN;
  for (const std::uint32_t mask : {0u, 1u, 2u, 4u, 5u, 6u, 7u})
    for (const std::uint32_t fn : {TL_REDUCE_sum, TL_REDUCE_prod, TL_REDUCE_max, TL_REDUCE_min}) {
      CAPTURE(mask);
      CAPTURE(fn);
      std::vector<std::int64_t> extents{mask & 1 ? 1 : 3, mask & 2 ? 1 : 4, mask & 4 ? 1 : 5};
      Tensor<> y(extents);
      tl_reduce_args args{};
      args.fn = fn;
      args.axis_mask = mask;
      args.input = &x.view;
      args.output = &y.view;
      REQUIRE(done(combine(""), args));
      const double start = fn == TL_REDUCE_sum    ? 0
                           : fn == TL_REDUCE_prod ? 1
                           : fn == TL_REDUCE_max  ? -inf
                                                  : inf;
      std::vector<double> wanted(y.values.size(), start);
      for (std::int64_t i = 0; i < 60; ++i) {
        const std::int64_t at[] = {mask & 1 ? 0 : i / 20, mask & 2 ? 0 : i / 5 % 4,
                                   mask & 4 ? 0 : i % 5};
        double& w = wanted[std::size_t((at[0] * extents[1] + at[1]) * extents[2] + at[2])];
        const double v = x[i];
        w = fn == TL_REDUCE_sum              ? w + v
            : fn == TL_REDUCE_prod           ? w * v
            : std::isnan(v) || std::isnan(w) ? NAN
            : fn == TL_REDUCE_max            ? std::max(w, v)
                                             : std::min(w, v);
      }
      for (std::size_t i = 0; i < wanted.size(); ++i)
        CHECK(excess(y[std::int64_t(i)], wanted[i], 1e-5, 1e-6) == 0);
    }
}

TEST_CASE("combine: matmul of transposed and broadcast operands") {
  Tensor<> a({3, 4}), b({2, 5, 3}),
      y({2, 4, 5});  // a is transposed and the same for both, b transposed
  a.random(1);
  b.random(2);
  a.view.rank = 3;
  a.view.extent[0] = 2, a.view.extent[1] = 4, a.view.extent[2] = 3;
  a.view.stride[0] = 0, a.view.stride[1] = 1, a.view.stride[2] = 4;
  std::swap(b.view.extent[1], b.view.extent[2]);
  std::swap(b.view.stride[1], b.view.stride[2]);
  tl_matmul_args args{};
  args.a = &a.view;
  args.b = &b.view;
  args.output = &y.view;
  args.alpha = 1;
  REQUIRE(done(combine(""), args));
  for (int g = 0; g < 2; ++g)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 5; ++j) {
        double wanted = 0;
        for (int k = 0; k < 3; ++k) wanted += a[k * 4 + i] * b[(g * 5 + j) * 3 + k];
        CHECK(excess(y[(g * 4 + i) * 5 + j], wanted, 1e-5, 1e-6) == 0);
      }
}

TEST_CASE("combine: a matmul that is wrong for wide results gets the square ones") {
  Tensor<> a({40, 7}), b({7, 40}), narrow({7, 5}), y({40, 40}), wide({40, 5});
  tl_matmul_args args{};
  args.a = &a.view;
  args.b = &b.view;
  args.output = &y.view;
  args.alpha = 1;
  CHECK(combine("transposed").takes(args));
  args.b = &narrow.view;
  args.output = &wide.view;
  std::string why;
  CHECK_FALSE(combine("transposed").takes(args, &why));
  CHECK(why.find("combine.so: it does square results only: ") != why.npos);
  CHECK(combine("").takes(args));
}

TEST_CASE("combine: what it can't be asked for is declined") {
  Tensor<> x({4}), y({4});
  tl_map_args args{};
  args.fn = TL_MAP_log;
  args.input = &x.view;
  args.output = &y.view;
  std::string why;
  CHECK_FALSE(combine("").takes(args, &why));
  CHECK(why.find("combine.so: it has no map function 31") != why.npos);
  args.fn = TL_MAP_exp;
  CHECK(combine("").takes(args));
  tl_matmul_args product{};
  product.alpha = 2;
  CHECK_FALSE(combine("").takes(product, &why));
  CHECK(why.find("drop-ins know the plain product only") != why.npos);
}
