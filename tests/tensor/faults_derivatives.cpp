// Known faults of comparable libraries: autograd.
#include <pthread.h>

#include <thread>

#include "values.h"

namespace {

/// A thread with a stack of 256 KiB runs f: recursion over a long graph would overflow it.
void on_small_stack(const std::function<void()>& f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  const auto body = [](void* f_pointer) -> void* {
    (*static_cast<const std::function<void()>*>(f_pointer))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, body, const_cast<std::function<void()>*>(&f)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

constexpr int chain_length = 100000;

tl::Tensor long_chain(const tl::Tensor& x) {
  tl::Tensor y = x;
  for (int i = 0; i < chain_length; ++i) y = y * 1 + 0;
  return y;
}

}  // namespace

TEST_CASE("D03: graphs of 100000 nodes run backward and go away without recursion") {
  float gradient = 0, split_gradient = 0;
  on_small_stack([&] {
    tl::Tensor x = tl::ones({}, {.requires_grad = true});
    long_chain(x).backward();
    gradient = x.grad().item<float>();
    { const tl::Tensor dropped = long_chain(x); }
    tl::Tensor pair = tl::ones(2, {.requires_grad = true});
    tl::Tensor y = pair;
    for (int i = 0; i < chain_length; ++i) {
      const std::vector<tl::Tensor> halves = y.split(1);
      y = tl::cat({halves[0], halves[1]});
    }
    y.sum().backward();
    split_gradient = pair.grad().sum().item<float>();
  });
  CHECK(gradient == 1);
  CHECK(split_gradient == 2);
}

TEST_CASE("D07: gradients come back in the shape of each operand") {
  tl::Tensor a = leaf({{1.0}, {2.0}}), b = leaf({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  (a * b).sum().backward();
  check_exact(a.grad(), {2, 1}, {6, 15});
  check_exact(b.grad(), {2, 3}, {1, 1, 1, 2, 2, 2});
  tl::Tensor s = leaf(2.0);
  (s * tl::ones(2)).sum().backward();
  check_exact(s.grad(), {}, {2});
  tl::Tensor p = tl::ones({1, 4}, {.requires_grad = true});
  (p + tl::ones({3, 4})).sum().backward();
  check_exact(p.grad(), {1, 4}, {3, 3, 3, 3});
  tl::Tensor r = tl::arange(6, {.dtype = tl::float32}).reshape({2, 1, 3}).detach().requires_grad_();
  tl::Tensor t = tl::arange(4, {.dtype = tl::float32}).reshape({4, 1}).detach().requires_grad_();
  (r * t).sum().backward();
  check_exact(r.grad(), {2, 1, 3}, {6, 6, 6, 6, 6, 6});
  check_exact(t.grad(), {4, 1}, {15, 15, 15, 15});
}

TEST_CASE("D08: powers at and below zero") {
  tl::Tensor a = leaf({0.0, 2.0}), b = leaf({1.0, 1.0});
  tl::pow(a, b).sum().backward();
  check_values(a.grad(), 2, {1, 1});
  check_values(b.grad(), 2, {0, 1.3862944});
  const double values[] = {1, 0, 0}, slopes[] = {0, 1, 0};
  for (int exponent = 0; exponent < 3; ++exponent) {
    tl::Tensor x = leaf(0.0);
    const tl::Tensor y = tl::pow(x, exponent);
    y.backward();
    CHECK(y.item<double>() == values[exponent]);
    CHECK(x.grad().item<double>() == slopes[exponent]);
  }
  tl::Tensor zero = leaf(0.0), power = leaf(0.0);
  const tl::Tensor one = tl::pow(zero, power);
  one.backward();
  CHECK(one.item<double>() == 1);
  CHECK(zero.grad().item<double>() == 0);
  CHECK(power.grad().item<double>() == 0);
  CHECK(tl::pow(tl::tensor(-2.0), 2).item<double>() == 4);
  CHECK(tl::pow(tl::tensor(-2.0), tl::tensor(2.0)).item<double>() == 4);
  tl::Tensor x = leaf(-2.0);
  tl::pow(x, 3).backward();
  check_exact(x.grad(), {}, {12});
}

TEST_CASE("D09: slopes at the singular points") {
  tl::Tensor x = leaf(0.0);
  x.sqrt().backward();
  CHECK(x.grad().item<double>() == inf);
  tl::Tensor v = leaf({0.0, 0.0});
  v.norm().backward();
  check_exact(v.grad(), 2, {0, 0});
  v.zero_grad();
  (v * v).sum().backward();
  check_exact(v.grad(), 2, {0, 0});
  tl::Tensor row = leaf({3.0, 3.0, 3.0});
  row.std().backward();
  check_exact(row.grad(), 3, {0, 0, 0});
  row.zero_grad();
  row.var().backward();
  check_exact(row.grad(), 3, {0, 0, 0});
}

TEST_CASE("D10: where selects, so that the other side has no influence") {
  tl::Tensor x = leaf({0.0, 4.0});
  const tl::Tensor safe = tl::where(x > 1, x, 1);
  tl::where(x > 1, safe.sqrt(), 0).sum().backward();
  check_exact(x.grad(), 2, {0, 0.25});
  tl::Tensor a = leaf({1.0, 2.0}), b = leaf({nan_value, 3.0});
  const tl::Tensor y = tl::where(tl::tensor({true, false}), a, b);
  check_exact(y, 2, {1, 3});
  y.sum().backward();
  check_exact(a.grad(), 2, {1, 0});
  check_exact(b.grad(), 2, {0, 1});
  tl::Tensor bad = leaf({0.0, 4.0});  // the inner root's slope is inf at 0 and must still not leak
  tl::where(bad > 1, bad.sqrt(), 0).sum().backward();
  CHECK(bad.grad()[1].item<double>() == 0.25);
}

TEST_CASE("D14: saturating functions have finite values and slopes") {
  const auto check = [](auto f, double at, double value, double slope, double tolerance = 1e-6) {
    CAPTURE(at);
    tl::Tensor x = leaf(at);
    const tl::Tensor y = f(x);
    y.backward();
    CHECK(std::abs(y.template item<double>() - value) <= tolerance * std::max(1.0, std::abs(value)));
    CHECK(std::abs(x.grad().template item<double>() - slope) <= tolerance);
  };
  const auto tanh = [](const tl::Tensor& x) { return x.tanh(); };
  const auto gelu = [](const tl::Tensor& x) { return x.gelu_tanh(); };
  const auto gelu_erf = [](const tl::Tensor& x) { return x.gelu(); };
  const auto sigmoid = [](const tl::Tensor& x) { return x.sigmoid(); };
  for (double at : {1e4, inf}) {
    check(tanh, at, 1, 0);
    check(tanh, -at, -1, 0);
  }
  check(gelu, 30, 30, 1);
  check(gelu, -30, 0, 0);
  check(gelu, 10, 10, 1);
  check(gelu, -10, 0, 0);
  check(gelu, 1, 0.84119199, 1.0829641);
  check(gelu_erf, 30, 30, 1);
  check(gelu_erf, -30, 0, 0);
  check(sigmoid, -1000, 0, 0);
  check(sigmoid, -100, 0, 0);
  check(sigmoid, 100, 1, 0);
  check(sigmoid, 1000, 1, 0);
  CHECK(tl::tensor(-100.0).sigmoid().item<double>() < 1e-37);
  for (auto f : {&tl::Tensor::tanh, &tl::Tensor::gelu_tanh, &tl::Tensor::gelu, &tl::Tensor::sigmoid}) {
    const auto method = static_cast<tl::Tensor (tl::Tensor::*)() const>(f);
    CHECK(std::isnan((tl::tensor(nan_value).*method)().item<double>()));
  }
}

TEST_CASE("D15: logsumexp with infinities") {
  const auto check = [](tl::NestedList values, double expected, const std::vector<double>& slopes) {
    tl::Tensor x = leaf(values);
    const tl::Tensor y = x.logsumexp();
    if (std::isinf(expected))
      CHECK(y.item<double>() == expected);
    else
      CHECK(y.item<double>() == doctest::Approx(expected).epsilon(1e-6));
    y.backward();
    if (!slopes.empty()) check_values(x.grad(), 2, slopes);
  };
  check({-inf, -inf}, -inf, {0, 0});
  check({inf, 0.0}, inf, {nan_value, 0});
  check({-inf, 1.0}, 1, {0, 1});
  check({1000.0, 1000.0}, 1000.6931472, {.5, .5});
  check({1e8, 1e8}, 1e8, {.5, .5});  // the logarithm of 2 is lost beside it
}

TEST_CASE("D18: no_grad is a scope of one thread") {
  CHECK(tl::is_grad_enabled());
  try {
    tl::no_grad guard;
    CHECK_FALSE(tl::is_grad_enabled());
    throw 1;
  } catch (int) {
  }
  CHECK(tl::is_grad_enabled());
  {
    tl::no_grad outer;
    { tl::no_grad inner; }
    CHECK_FALSE(tl::is_grad_enabled());
    bool in_thread = false;
    std::thread([&] { in_thread = tl::is_grad_enabled(); }).join();
    CHECK(in_thread);
    CHECK_FALSE((tl::ones(2, {.requires_grad = true}) * 2).requires_grad());
  }
  CHECK((tl::ones(2, {.requires_grad = true}) * 2).requires_grad());
}
