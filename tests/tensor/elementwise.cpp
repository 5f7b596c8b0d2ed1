#include "values.h"

TEST_CASE("dtypes are promoted: bool < int64 < float32 < float64") {
  const tl::Tensor b = tl::tensor({true, false}), i = tl::tensor({1, 2}), f = tl::tensor({1.0, 2.0});
  const tl::Tensor d = f.to(tl::float64);
  CHECK((b + b).dtype() == tl::int64);
  CHECK((b + i).dtype() == tl::int64);
  CHECK((i + f).dtype() == tl::float32);
  CHECK((f + d).dtype() == tl::float64);
  CHECK((i / i).dtype() == tl::float32);
  CHECK(i.exp().dtype() == tl::float32);
  CHECK((i * 2).dtype() == tl::int64);
  CHECK((i * 0.5).dtype() == tl::float32);
  CHECK(tl::pow(i, -1).dtype() == tl::float32);
  CHECK((i < f).dtype() == tl::boolean);
  CHECK_RAISES(i.to(tl::uint8) + i, "add", "uint8", "to(");
  CHECK_RAISES(i.to(tl::float16) + 1, "add: float16");
  CHECK_RAISES(1 - i.to(tl::float16), "sub: float16");
  CHECK_RAISES(tl::logical_and(i, i), "logical_and", "int64");
  CHECK_RAISES(tl::where(i, f, f), "where", "bool");
}

TEST_CASE("an undefined tensor raises in the operation's name") {
  const tl::Tensor none, x = tl::tensor({1.0, 2.0});
  CHECK_RAISES(none + x, "add: got an undefined tensor");
  CHECK_RAISES(x * none, "mul: got an undefined tensor");
  CHECK_RAISES(none + 1, "add: got an undefined tensor");
  CHECK_RAISES(2 / none, "div: got an undefined tensor");
  CHECK_RAISES(none.exp(), "exp: got an undefined tensor");
  CHECK_RAISES(tl::where(x > 1, x, none), "where: got an undefined tensor");
  CHECK_RAISES(none.sum(), "sum: got an undefined tensor");
  CHECK_RAISES(none.mean(), "mean: got an undefined tensor");
  CHECK_RAISES(none.argmax(), "argmax: got an undefined tensor");
  CHECK_RAISES(none.cumsum(0), "cumsum: got an undefined tensor");
  CHECK_RAISES(tl::matmul(x, none), "matmul: got an undefined tensor");
}

TEST_CASE("a number that an integer tensor can't hold is not forced into its dtype") {
  const tl::Tensor i = tl::tensor({-2, 0, 3}), b = tl::tensor({true, false, true});
  check_exact(i.clamp(-1), 3, {-1, 0, 3});
  check_exact(i.clamp({}, 1), 3, {-2, 0, 1});
  check_exact(i.clamp(-1, inf), 3, {-1, 0, 3});
  check_exact(i.clamp(5, 1), 3, {1, 1, 1});  // the upper bound wins, as for floats
  check_exact(i.clamp({}, {}), 3, {-2, 0, 3});
  CHECK(i.clamp(-1).dtype() == tl::int64);
  check_exact(i.clamp(-0.5, 1e30), 3, {-.5, 0, 3});
  check_exact(tl::maximum(i, 0.5), 3, {.5, .5, 3});
  check_exact(tl::where(b, i, 0.5), 3, {-2, .5, 3});
  check_exact(i.masked_fill(b, 0.5), 3, {.5, 0, .5});
  check_exact(tl::addcmul(i, i, i, 0.5), 3, {0, 0, 7.5});
  check_exact(b.masked_fill(b, 5), 3, {5, 0, 5});
  check_exact(b == 2, 3, {0, 0, 0});
  check_exact(tl::maximum(b, 2), 3, {2, 2, 2});
}

TEST_CASE("in place, a number that the dtype can't hold raises and changes nothing") {
  tl::Tensor i = tl::tensor({-2, 0, 3});
  CHECK_RAISES(i.clamp_(-1, 0.5), "clamp_", "float32", "int64");
  CHECK_RAISES(i.maximum_(0.5), "maximum_", "float32", "int64");
  CHECK_RAISES(i.masked_fill_(i > 0, 0.5), "masked_fill_", "no value of int64");
  CHECK_RAISES(tl::ones(2, {.dtype = tl::boolean}).masked_fill_(tl::ones(2) > 0, 5), "masked_fill_",
               "no value of bool");
  CHECK_RAISES(i.masked_fill(i, 1), "masked_fill", "must be bool");
  CHECK_RAISES(i.masked_fill_(i, 1), "masked_fill_", "must be bool");
  CHECK_RAISES(i.addcmul_(i, i, 0.5), "addcmul_", "float32", "int64");
  CHECK_RAISES(i.fill_(0.5), "fill_", "0.5", "int64");
  CHECK_RAISES(i.fill_(std::numeric_limits<double>::quiet_NaN()), "fill_", "nan", "int64");
  check_exact(i, 3, {-2, 0, 3});
  check_exact(i.clamp_(-1), 3, {-1, 0, 3});
  check_exact(i.maximum_(0), 3, {0, 0, 3});
  check_exact(i.fill_(7), 3, {7, 7, 7});
}

TEST_CASE("operators: tensors and numbers on either side") {
  const tl::Tensor x = tl::tensor({1.0, 2.0, 4.0}), y = tl::tensor({2.0, 2.0, 2.0});
  check_exact(x + y, 3, {3, 4, 6});
  check_exact(1 + x - 2, 3, {0, 1, 3});
  check_exact(1 - x, 3, {0, -1, -3});
  check_exact(x * y / 4, 3, {.5, 1, 2});
  check_exact(8 / x, 3, {8, 4, 2});
  check_exact(-x, 3, {-1, -2, -4});
  check_exact(tl::pow(x, 2), 3, {1, 4, 16});
  check_exact(tl::pow(2, x), 3, {2, 4, 16});
  check_exact(x.pow(y), 3, {1, 4, 16});
  check_exact(x * -0.0, 3, {-0.0, -0.0, -0.0});
  CHECK(std::signbit((tl::tensor(0.0) * -1).item<double>()));
}

TEST_CASE("comparisons: all six, on tensors and numbers, either side") {
  const tl::Tensor x = tl::tensor({1.0, 2.0, 3.0}), y = tl::tensor({2.0, 2.0, 2.0});
  for (bool scalar : {false, true}) {
    const auto with = [&](auto compare) { return scalar ? compare(x, 2.0) : compare(x, y); };
    check_exact(with([](auto& a, auto&& b) { return a < b; }), 3, {1, 0, 0});
    check_exact(with([](auto& a, auto&& b) { return a <= b; }), 3, {1, 1, 0});
    check_exact(with([](auto& a, auto&& b) { return a > b; }), 3, {0, 0, 1});
    check_exact(with([](auto& a, auto&& b) { return a >= b; }), 3, {0, 1, 1});
    check_exact(with([](auto& a, auto&& b) { return a == b; }), 3, {0, 1, 0});
    check_exact(with([](auto& a, auto&& b) { return a != b; }), 3, {1, 0, 1});
  }
  check_exact(2 < x, 3, {0, 0, 1});
  check_exact(2 >= x, 3, {1, 1, 0});
  check_exact(!(x > 1) || (x == 3.0 && x > 2), 3, {1, 0, 1});
}

TEST_CASE("broadcasting: every shape NumPy allows, and an error that names both") {
  check_exact(tl::tensor({{1.0}, {2.0}}) + tl::tensor({10.0, 20.0}), {2, 2}, {11, 21, 12, 22});
  CHECK((tl::zeros({4, 1, 3}) + tl::zeros({2, 1})).shape() == tl::Shape{4, 2, 3});
  CHECK((tl::zeros({0, 1}) + tl::zeros({1, 3})).shape() == tl::Shape{0, 3});
  CHECK_RAISES(tl::zeros({2, 3}) + tl::zeros({2, 2}), "add", "(2, 3)", "(2, 2)");
}

TEST_CASE("functions: edges of float32") {
  check_exact(tl::tensor({-inf, 0.0, inf, 89.0, -104.0}).exp(), 5, {0, 1, inf, inf, 0});
  CHECK(tl::tensor(-100.0).exp().item<float>() > 0);  // a denormal, kept
  check_exact(tl::tensor({0.0, 1.0, inf, -1.0}).log(), 4, {-inf, 0, inf, nan_value});
  check_exact(tl::tensor({-inf, inf}).sigmoid(), 2, {0, 1});
  check_exact(tl::tensor({2.5, 3.5, -0.5, 1.2}).round(), 4, {2, 4, -0.0, 1});
  check_exact(tl::tensor({-3.0, 0.0, nan_value, 5.0}).sign(), 4, {-1, 0, nan_value, 1});
  check_exact(tl::tensor({nan_value, -1.0, 2.0}).relu(), 3, {nan_value, 0, 2});
  check_exact(tl::clamp(tl::tensor({nan_value, -5.0, 0.5, 5.0}), 0, 1), 4, {nan_value, 0, .5, 1});
  check_exact(tl::clamp(tl::tensor({0.5}), 2, 1), 1, {1});
  check_exact(tl::tensor({1, 5, -7}).clamp({}, 3), 3, {1, 3, -7});
  check_exact(tl::tensor({1.0, nan_value, inf}).isnan(), 3, {0, 1, 0});
  check_exact(tl::tensor({1.0, nan_value, inf}).isfinite(), 3, {1, 0, 0});
}

TEST_CASE("softplus switches over at its threshold and never overflows") {
  check_values(tl::softplus(tl::tensor({0.0, 100.0, -100.0})), 3, {0.69314718, 100, 0});
  check_values(tl::leaky_relu(tl::tensor({-2.0, 3.0}), 0.1), 2, {-.2, 3});
}

TEST_CASE("allclose: tolerances, NaN, infinities, shapes") {
  const tl::Tensor x = tl::tensor({1.0, inf}), y = tl::tensor({1.000001, inf});
  CHECK(tl::allclose(x, y));
  CHECK_FALSE(tl::allclose(x, y, 0, 1e-8));
  CHECK_FALSE(tl::allclose(tl::tensor({nan_value}), tl::tensor({nan_value})));
  CHECK(tl::allclose(tl::tensor({nan_value}), tl::tensor({nan_value}), 1e-5, 1e-8, true));
  CHECK_FALSE(tl::allclose(tl::tensor({inf}), tl::tensor({-inf})));
  CHECK_RAISES(tl::allclose(x, tl::ones(3)), "(2,)", "(3,)");
}
