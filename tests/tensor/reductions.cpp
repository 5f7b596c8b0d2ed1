#include "values.h"

TEST_CASE("reductions: one dim, several, all, with keepdim") {
  const tl::Tensor x = tl::arange(24, {.dtype = tl::float32}).reshape({2, 3, 4});
  check_exact(x.sum({0, 2}), 3, {60, 92, 124});
  check_exact(x.sum(1, true), {2, 1, 4}, {12, 15, 18, 21, 48, 51, 54, 57});
  CHECK(x.mean().item<double>() == 11.5);
  check_exact(x.max({1, 2}), 2, {11, 23});
  check_exact(x.min(0), {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_exact(tl::tensor({{1.0, 2.0}, {3.0, 4.0}}).prod(-1), 2, {2, 12});
  check_exact((x > 22).any({0, 1}), 4, {0, 0, 0, 1});
  check_exact((x >= 0).all(), {}, {1});
  CHECK(tl::tensor({true, true, false}).sum().item<int>() == 2);
  CHECK(tl::tensor({true, true}).sum().dtype() == tl::int64);
  CHECK(tl::tensor({1, 2}).mean().item<double>() == 1.5);
  CHECK(tl::tensor(5.0).sum().item<double>() == 5);
}

TEST_CASE("var and std: over several dims, with their correction") {
  const tl::Tensor x = tl::tensor({{1.0, 2.0}, {3.0, 4.0}});
  check_values(x.var(), {}, {1.6666667});
  check_values(x.var({0, 1}, false, 0), {}, {1.25});
  check_values(x.std(0, true), {1, 2}, {1.4142136, 1.4142136});
  check_values(tl::full(1000, 1234.5).var(), {}, {0});
  CHECK(std::isnan(tl::tensor({1.0}).var().item<double>()));
}

TEST_CASE("argmax and argmin: the first of equals, flattened or along a dim") {
  const tl::Tensor x = tl::tensor({{1.0, 7.0, 7.0}, {0.0, 7.0, 0.0}});
  CHECK(x.argmax().item<int>() == 1);
  check_exact(x.argmax(1), 2, {1, 1});
  check_exact(x.argmin(1, true), {2, 1}, {0, 0});
  check_exact(x.argmax(0), 3, {0, 0, 0});
  CHECK(x.t().argmax().item<int>() == 2);
}

TEST_CASE("norm, logsumexp and cumsum") {
  const tl::Tensor x = tl::tensor({{3.0, -4.0}, {0.0, 0.0}});
  check_values(x.norm(2, 1), 2, {5, 0});
  check_values(x.norm(1, 1), 2, {7, 0});
  check_values(x.norm(inf), {}, {4});
  check_values(x.norm(0), {}, {2});
  check_values(x.norm(3, 1), 2, {4.4979414, 0});
  for (const double p : {1.0, 1.5, 2.0, 3.0, inf}) {  // no slope at 0, whatever the norm
    CAPTURE(p);
    const tl::Tensor zero = tl::zeros(2, {.requires_grad = true});
    zero.norm(p).backward();
    check_exact(zero.grad(), 2, {0, 0});
  }
  CHECK(std::isnan(tl::tensor({nan_value, 0.0}).norm(3).item<double>()));
  CHECK(tl::tensor({inf, inf}).norm(-1).item<double>() == inf);
  CHECK(tl::tensor({2.0, 0.0}).norm(-1).item<double>() == 0);
  check_exact(tl::tensor(3.0).sum(0), {}, {3});
  CHECK_RAISES(tl::tensor(3.0).sum({0, 0}), "sum", "twice");
  check_exact(tl::tensor(3.0).mean(-1), {}, {3});
  CHECK_RAISES(tl::tensor(3.0).sum(1), "sum", "dim 1");
  check_exact(x.cumsum(0), {2, 2}, {3, -4, 3, -4});
  check_exact(tl::arange(5).cumsum(-1), 5, {0, 1, 3, 6, 10});
  CHECK(tl::zeros({2, 0}).logsumexp(1)[0].item<double>() == -inf);
  CHECK_RAISES(x.cumsum(2), "cumsum", "dim 2");
}

TEST_CASE("log_softmax: equal values stay equal however large, and what is small counts") {
  for (const double large : {100.0, 1e3, 1e8, 1e30, -1e8}) {
    CAPTURE(large);
    const tl::Tensor x = leaf({{large, large}});
    check_values(x.log_softmax(1), {1, 2}, {-0.69314718, -0.69314718});
    x.log_softmax(1)[0][0].backward();
    check_values(x.grad(), {1, 2}, {0.5, -0.5});
  }
  // A loss below the spacing of numbers near 100 is as exact as numbers near 1 are.
  const tl::Tensor apart = tl::tensor({{100.0, 88.0}}).log_softmax(1);
  check_values(apart, {1, 2}, {-6.1441735e-6, -12.000006}, 0, 1.2e-6);
  check_values(apart.slice(1, 0, 1), {1, 1}, {-6.1441735e-6}, 0, 1.2e-7);
  CHECK(tl::zeros({2, 0}).log_softmax(1).shape() == tl::Shape{2, 0});
}

TEST_CASE("softmax and log_softmax along any dim") {
  const tl::Tensor x = tl::tensor({{1.0, 2.0}, {1.0, 2.0}});
  check_values(x.softmax(0), {2, 2}, {.5, .5, .5, .5});
  check_values(x.log_softmax(1), {2, 2}, {-1.3132617, -.3132617, -1.3132617, -.3132617});
  check_exact(tl::tensor(3.0).softmax(0), {}, {1});
  CHECK_RAISES(x.softmax(2), "softmax", "dim 2");
}

TEST_CASE("norm: below 1 it has the slope 0 at an element that is 0") {
  const tl::Tensor x = tl::tensor({0.0, 1.0}).requires_grad_();
  tl::norm(x, 0.5).backward();
  check_exact(x.grad(), 2, {0, 1});
  const tl::Tensor y = tl::tensor({0.0, 4.0}).requires_grad_();
  tl::nn::functional::normalize(y, 0.5, 0).sum().backward();
  CHECK(y.grad().isfinite().all().item<bool>());
}
