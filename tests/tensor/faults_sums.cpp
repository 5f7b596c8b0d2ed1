// Known faults of comparable libraries: sums and matmul.
#include "values.h"

TEST_CASE("C01: a sum of 2e7 ones is exact along every axis") {
  constexpr std::int64_t n = 20000000;
  CHECK(tl::ones(n).sum().item<double>() == 2e7);
  const tl::Tensor tall = tl::ones({n, 2});
  check_exact(tall.sum(0), 2, {2e7, 2e7});
  check_exact(tall.mean(0), 2, {1, 1});
  check_exact(tl::ones({2, n}).sum(1), 2, {2e7, 2e7});
}

TEST_CASE("C02: rounding does not grow with length, cancellation keeps the small ones") {
  const tl::Tensor x = tl::full(10000000, 0.1);
  CHECK(std::abs(x.sum().item<double>() / 1000000.0149 - 1) < 1e-6);
  CHECK(std::abs(x.mean().item<double>() / 0.1 - 1) < 1e-6);
  tl::Tensor y = tl::ones(1024);
  y[0].fill_(1e8);
  y[1023].fill_(-1e8);
  CHECK(std::abs(y.sum().item<double>() - 1022) <= 64);
}

TEST_CASE("C03: products over an empty dim are zeros of the right shape, with gradients") {
  const auto check = [](const tl::Shape& a, const tl::Shape& b, const tl::Shape& expected) {
    tl::Tensor x = tl::zeros(a, {.requires_grad = true}), y = tl::zeros(b, {.requires_grad = true});
    poison(expected.numel());
    const tl::Tensor product = x.matmul(y);
    check_exact(product, expected, std::vector<double>(static_cast<std::size_t>(expected.numel()), 0));
    product.backward(tl::ones(expected));
    CHECK(x.grad().shape() == a);
    CHECK(y.grad().shape() == b);
    CHECK(x.grad().sum().item<float>() == 0);
    CHECK(y.grad().sum().item<float>() == 0);
  };
  check({2, 0}, {0, 3}, {2, 3});
  check({3, 2, 0}, {3, 0, 3}, {3, 2, 3});
  check({0, 4}, {4, 2}, {0, 2});
  check({2, 4}, {4, 0}, {2, 0});
}

TEST_CASE("C06: batch dims that don't collapse into one stride") {
  const tl::Tensor q = tl::arange(16, {.dtype = tl::float32}).reshape({2, 2, 2, 2});
  const tl::Tensor p = q.transpose(1, 2);
  check_exact(p.matmul(p.transpose(-1, -2)), {2, 2, 2, 2},
              {1, 5, 5, 41, 13, 33, 33, 85, 145, 213, 213, 313, 221, 305, 305, 421});
}

TEST_CASE("C07: batch dims broadcast or raise, 1-D operands are promoted") {
  const auto shape = [](const tl::Shape& a, const tl::Shape& b) {
    return tl::ones(a).matmul(tl::ones(b)).shape();
  };
  CHECK(shape({4, 1, 2, 3}, {5, 3, 2}) == tl::Shape{4, 5, 2, 2});
  CHECK(shape({2, 3}, {7, 3, 4}) == tl::Shape{7, 2, 4});
  CHECK(shape(3, {3, 2}) == tl::Shape(2));
  CHECK(shape({2, 3}, 3) == tl::Shape(2));
  CHECK(shape(3, 3) == tl::Shape());
  CHECK_RAISES(shape({2, 2, 3}, {3, 3, 2}), "matmul", "(2, 2, 3)", "(3, 3, 2)");
  CHECK_RAISES(shape({2, 3}, {4, 2}), "matmul", "(2, 3)", "(4, 2)");
  CHECK_RAISES(shape({}, {4, 2}), "matmul", "()");
}
