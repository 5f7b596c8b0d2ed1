// Known faults of comparable libraries: softmax and layernorm.
#include "values.h"

TEST_CASE("B01: a row that is masked everywhere gives zeros, forward and backward") {
  tl::Tensor x = leaf({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}});
  const tl::Tensor mask = tl::tensor({{0.0, 0.0, -inf}, {-inf, -inf, -inf}});
  const tl::Tensor y = tl::attn_softmax(x, mask);
  check_values(y, {2, 3}, {0.26894142, 0.73105858, 0, 0, 0, 0});
  y.backward(tl::tensor({{1.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}));
  check_values(x.grad(), {2, 3}, {0.19661193, -0.19661193, 0, 0, 0, 0});
  check_exact(tl::full({1, 3}, -inf).softmax(-1), {1, 3}, {0, 0, 0});
}

TEST_CASE("B04: one column and the edges of float32") {
  const auto check = [](double value, double expected, bool log) {
    tl::Tensor x = leaf({{value}});
    const tl::Tensor y = log ? x.log_softmax(-1) : x.softmax(-1);
    check_exact(y, {1, 1}, {expected});
    y.backward(tl::ones({1, 1}));
    check_exact(x.grad(), {1, 1}, {0});
  };
  check(88.72284, 0, true);
  check(88.72284, 1, false);
  check(-3e38, 1, false);
  tl::Tensor x = leaf({{3e38, -3e38}});
  const tl::Tensor y = x.softmax(-1);
  check_exact(y, {1, 2}, {1, 0});
  y.backward(tl::ones({1, 2}));
  check_exact(x.grad(), {1, 2}, {0, 0});
}

namespace {

/// The mask as given and expanded by hand must give the same bits, forward and backward.
void check_mask(const tl::Tensor& mask, const std::vector<double>& expected) {
  const tl::Tensor grad = tl::arange(24, {.dtype = tl::float32}).reshape({2, 2, 2, 3});
  tl::Tensor x = tl::zeros({2, 2, 2, 3}, {.requires_grad = true});
  const tl::Tensor y = tl::attn_softmax(x, mask);
  check_values(y, {2, 2, 2, 3}, expected);
  y.backward(grad);
  tl::Tensor again = tl::zeros({2, 2, 2, 3}, {.requires_grad = true});
  const tl::Tensor by_hand = tl::attn_softmax(again, mask.expand({2, 2, 2, 3}).contiguous());
  by_hand.backward(grad);
  CHECK(tl::eq(y, by_hand).all().item<bool>());
  CHECK(tl::eq(x.grad(), again.grad()).all().item<bool>());
}

std::vector<double> repeated(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

}  // namespace

TEST_CASE("B06: masks broadcast over batch, heads and rows") {
  const std::vector<double> half{.5, 0, .5}, left{.5, .5, 0}, right{0, .5, .5}, first{1, 0, 0};
  const double third = 1.0 / 3;
  check_mask(tl::tensor({0.0, -inf, 0.0}), repeated({half, half, half, half, half, half, half, half}));
  check_mask(tl::tensor({0.0, 0.0, -inf, -inf, 0.0, 0.0}).reshape({2, 1, 1, 3}),
             repeated({left, left, left, left, right, right, right, right}));
  check_mask(tl::tensor({0.0, -inf, -inf, 0.0, 0.0, -inf}).reshape({1, 1, 2, 3}),
             repeated({first, left, first, left, first, left, first, left}));
  check_mask(tl::zeros({2, 2, 2, 3}), std::vector<double>(24, third));
  const tl::Tensor x = tl::zeros({2, 2, 2, 3});
  CHECK_RAISES(tl::attn_softmax(x, tl::zeros(2)), "attn_softmax", "(2,)", "(2, 2, 2, 3)");
  CHECK_RAISES(tl::attn_softmax(x, tl::zeros({4, 3})), "(4, 3)");
  CHECK_RAISES(tl::attn_softmax(x, tl::zeros({2, 3, 1, 3})), "(2, 3, 1, 3)");
}

TEST_CASE("B07: layernorm of a constant row has no NaN") {
  check_exact(tl::layer_norm(tl::full({1, 256}, 1234), 256, tl::ones(256), tl::full(256, 0.5)),
              {1, 256}, std::vector<double>(256, 0.5));
  tl::Tensor x = tl::full({1, 4}, 1234, {.requires_grad = true});
  tl::layer_norm(x, 4, tl::ones(4), tl::full(4, 0.5)).backward(tl::tensor({{1.0, 0.0, 0.0, 0.0}}));
  check_values(x.grad(), {1, 4}, {237.17082, -79.056942, -79.056942, -79.056942});
  tl::layer_norm(x, 4, {}, {}, 0).sum().backward();  // NaN or inf is allowed, a trap is not
}

TEST_CASE("B09: the gradients of layernorm, where a wrong formula shows") {
  tl::Tensor x = leaf({{1.0, 2.0, 3.0, 4.0}}), gamma = leaf({1.0, 2.0, 1.0, 1.0}),
             beta = leaf({0.0, 0.0, 0.0, 0.0});
  tl::layer_norm(x, 4, gamma, beta).sum().backward();
  check_values(x.grad(), {1, 4}, {-0.35776837, 0.62609689, -0.17888508, -0.08944344});
  check_values(gamma.grad(), 4, {-1.3416354, -0.4472118, 0.4472118, 1.3416354});
  check_exact(beta.grad(), 4, {1, 1, 1, 1});
}

TEST_CASE("layernorm: the gradient of beta over a million rows keeps its digits") {
  tl::Tensor beta = tl::zeros(2, {.requires_grad = true});
  tl::layer_norm(tl::zeros({1000000, 2}), 2, tl::ones(2), beta).backward(tl::full({1000000, 2}, 0.1));
  check_values(beta.grad(), 2, {100000, 100000}, 1e-6, 0);
}
