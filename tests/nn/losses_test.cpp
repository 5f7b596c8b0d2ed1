#include <cmath>

#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace F = torchlight::nn::functional;
using F::Reduction;
using tl::test::check_close, tl::test::error_of, tl::test::says;

namespace {

const tl::Options f64{.dtype = tl::float64};

tl::Tensor scores() { return tl::tensor({{2.5, 0., 0.}, {0., 0., 2.5}}); }
tl::Tensor labels(const std::vector<std::int64_t>& values) { return tl::tensor(values); }

}  // namespace

TEST_CASE("D16: cross_entropy names a label out of range, its position and the class count") {
  CHECK(F::cross_entropy(scores(), labels({0, 2})).item<double>() ==
        doctest::Approx(0.15200838).epsilon(1e-6));
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1000}}) {
    const std::string error = error_of([&] { F::cross_entropy(scores(), labels({0, bad})); });
    CHECK(says(error, "cross_entropy", "label " + std::to_string(bad), "position 1", "3 classes"));
    CHECK(says(error_of([&] { F::nll_loss(scores(), labels({bad, 0})); }), "nll_loss", "position 0"));
  }
  CHECK(says(error_of([] {
               F::cross_entropy(scores(), labels({0, 1, 2}));
             }),
             "(3,)", "(2,)", "(2, 3)"));
  CHECK(says(error_of([] {
               F::cross_entropy(scores(), tl::tensor({0.5, 2.}));
             }),
             "int64", "float32", "0.5"));
  CHECK(says(error_of([] {
               F::cross_entropy(tl::ones({1, 2, 2}), tl::tensor({{0, 7}}));
             }),
             "label 7", "position (0, 1)"));
}

TEST_CASE("cross_entropy: mean, sum and none") {
  const double loss = std::log(1 + 2 * std::exp(-2.5)), other = std::log(2 + std::exp(2.5));
  const tl::Tensor target = labels({0, 1});
  check_close(F::cross_entropy(scores(), target, {.reduction = Reduction::none}), 2, {loss, other});
  check_close(F::cross_entropy(scores(), target, {.reduction = Reduction::sum}), {}, {loss + other});
  check_close(F::cross_entropy(scores(), target), {}, {(loss + other) / 2});
}

TEST_CASE("cross_entropy: the gradient is (softmax - one_hot) / n") {
  const tl::Tensor x = scores().requires_grad_();
  F::cross_entropy(x, labels({0, 1})).backward();
  const double sum = std::exp(2.5) + 2, p = std::exp(2.5) / sum, q = 1 / sum;
  check_close(x.grad(), {2, 3}, {(p - 1) / 2, q / 2, q / 2, q / 2, (q - 1) / 2, p / 2});
}

TEST_CASE("cross_entropy: huge scores neither overflow nor lose the answer") {
  const tl::Tensor x = tl::tensor({{1e4, -1e4}, {-1e4, 1e4}, {88., 89.}}, {.requires_grad = true});
  const tl::Tensor loss = F::cross_entropy(x, labels({0, 0, 1}), {.reduction = Reduction::none});
  check_close(loss, 3, {0, 2e4, std::log1p(std::exp(-1.0))});
  loss.sum().backward();
  CHECK(x.grad().isfinite().all().item<bool>());
}

TEST_CASE("cross_entropy: classes are dim 1, further dims are positions") {
  tl::manual_seed(4);
  const tl::Tensor x = tl::randn({2, 3, 4}, f64).requires_grad_();
  const tl::Tensor target = tl::randint(0, 3, {2, 4});
  const tl::Tensor flat = F::cross_entropy(x.transpose(1, 2).reshape({8, 3}), target.reshape({8}));
  CHECK(F::cross_entropy(x, target).item<double>() == doctest::Approx(flat.item<double>()));
  CHECK(tl::gradcheck([&](const auto& in) { return F::cross_entropy(in[0], target); }, {x}));
}

TEST_CASE("nll_loss: picks the log-probability of the target") {
  const tl::Tensor x = tl::tensor({{-1., -2.}, {-3., -4.}}, f64).requires_grad_();
  check_close(F::nll_loss(x, labels({1, 0})), {}, {2.5});
  CHECK(tl::gradcheck([&](const auto& in) { return F::nll_loss(in[0], labels({1, 0})); }, {x}));
}

TEST_CASE("mse_loss: mean of squares; shapes must be equal, not only broadcast") {
  const tl::Tensor x = tl::tensor({1., 2., 4.}), y = tl::tensor({1., 4., 1.});
  check_close(F::mse_loss(x, y), {}, {13.0 / 3});
  check_close(F::mse_loss(x, y, {.reduction = Reduction::sum}), {}, {13});
  check_close(F::mse_loss(x, y, {.reduction = Reduction::none}), 3, {0, 4, 9});
  CHECK(says(error_of([&] { F::mse_loss(x.unsqueeze(1), y); }), "mse_loss", "(3, 1)", "(3,)"));
  const auto fn = [](const auto& in) { return F::mse_loss(in[0], in[1]); };
  CHECK(
      tl::gradcheck(fn, {tl::randn({3}, f64).requires_grad_(), tl::randn({3}, f64).requires_grad_()}));
}
