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

TEST_CASE("losses: gradients agree with finite differences, and so do theirs") {
  tl::manual_seed(8);
  using Loss = std::function<tl::Tensor(const tl::Tensor&, const tl::Tensor&)>;
  const Loss losses[] = {
      [](const auto& x, const auto& y) { return F::l1_loss(x, y); },
      [](const auto& x, const auto& y) { return F::smooth_l1_loss(x, y, {.beta = 0.7}); },
      [](const auto& x, const auto& y) { return F::cross_entropy(x, y.softmax(1)); },
      [](const auto& x, const auto& y) { return F::binary_cross_entropy(x.sigmoid(), y.sigmoid()); },
      [](const auto& x, const auto& y) { return F::binary_cross_entropy_with_logits(x, y); },
      [](const auto& x, const auto& y) { return F::kl_div(x, y.softmax(1)); },
      [](const auto& x, const auto& y) { return F::kl_div(x, y, {.log_target = true}); }};
  for (const Loss& loss : losses)
    CHECK(tl::gradcheck(
        [&](const auto& in) { return loss(in[0], in[1]); },
        {tl::randn({3, 4}, f64).requires_grad_(), tl::randn({3, 4}, f64).requires_grad_()},
        {.second_order = true}));
  const tl::Tensor target = labels({1, 0, 3}), weight = tl::rand({4}, f64);
  CHECK(tl::gradcheck(
      [&](const auto& in) {
        return F::cross_entropy(in[0], target,
                                {.weight = weight, .ignore_index = 0, .label_smoothing = 0.2});
      },
      {tl::randn({3, 4}, f64).requires_grad_()}, {.second_order = true}));
}

TEST_CASE("cross_entropy: ignored targets count as nothing; all ignored is NaN, as PyTorch's") {
  const tl::Tensor x = tl::tensor({{1., 2.}, {3., -1e30}, {0., 0.}}, {.requires_grad = true});
  const tl::Tensor loss = F::cross_entropy(x, labels({0, -100, 1}));
  CHECK(loss.item<double>() == doctest::Approx((std::log1p(std::exp(1.0)) + std::log(2.0)) / 2));
  loss.backward();
  check_close(x.grad()[1], 2, {0, 0});
  CHECK(x.grad()[0].abs().max().item<double>() > 0.1);
  CHECK(std::isnan(F::cross_entropy(x, labels({-100, -100, -100})).item<double>()));
  CHECK(F::cross_entropy(x, labels({7, 7, 7}), {.ignore_index = 7, .reduction = Reduction::sum})
            .item<double>() == 0);
  CHECK(says(error_of([&] {
               F::cross_entropy(x, labels({0, -100, 1}), {.ignore_index = 5});
             }),
             "label -100", "position 1"));
}

TEST_CASE("cross_entropy: a single input without a batch; weights and smoothing that don't fit") {
  const tl::Tensor x = tl::tensor({1., 2., 3.}), wanted = F::cross_entropy(x.unsqueeze(0), labels({1}));
  CHECK(F::cross_entropy(x, tl::tensor(1)).item<float>() == wanted.item<float>());
  CHECK(F::cross_entropy(x, tl::tensor(1), {.reduction = Reduction::none}).shape() == tl::Shape{});
  CHECK(F::nll_loss(x, tl::tensor(2)).item<float>() == -3);
  CHECK(says(error_of([&] { F::cross_entropy(x, tl::tensor(3)); }), "label 3", "3 classes"));
  CHECK(says(error_of([] {
               F::cross_entropy(scores(), labels({0, 1}), {.weight = tl::ones({2})});
             }),
             "weight", "(2,)", "(3,)"));
  CHECK(says(error_of([] {
               F::cross_entropy(scores(), labels({0, 1}), {.label_smoothing = 1.5});
             }),
             "label_smoothing", "1.5"));
  CHECK(says(error_of([] { F::cross_entropy(tl::tensor(1.), labels({0})); }), "cross_entropy", "()"));
}

TEST_CASE("binary cross entropy: right for huge scores, an Error for what is no probability") {
  const tl::Tensor x = tl::tensor({1000., -1000., 1000., -1000.}, {.requires_grad = true});
  const tl::Tensor y = tl::tensor({1., 0., 0., 1.});
  const tl::Tensor loss = F::binary_cross_entropy_with_logits(x, y, {.reduction = Reduction::none});
  check_close(loss, 4, {0, 0, 1000, 1000});
  loss.sum().backward();
  check_close(x.grad(), 4, {0, 0, 1, -1});
  CHECK(says(error_of([] {
               F::binary_cross_entropy(tl::tensor({{0.5, 0.5}, {1.5, 0.5}}), tl::ones({2, 2}));
             }),
             "binary_cross_entropy", "1.5", "position (1, 0)"));
  CHECK(error_of([] { F::binary_cross_entropy(tl::tensor({std::nan("")}), tl::ones({1})); }) != "");
}

TEST_CASE("losses: shapes, reductions and parameters that don't fit are named") {
  const tl::Tensor x = tl::ones({2, 3}), y = tl::ones({3});
  CHECK(says(error_of([&] { F::l1_loss(x, y); }), "l1_loss", "(2, 3)", "(3,)"));
  CHECK(says(error_of([&] { F::smooth_l1_loss(x, y); }), "smooth_l1_loss", "(3,)"));
  CHECK(says(error_of([&] { F::kl_div(x, y); }), "kl_div", "(3,)"));
  CHECK(says(error_of([&] { F::binary_cross_entropy(x, y); }), "binary_cross_entropy", "(3,)"));
  CHECK(says(error_of([&] { F::binary_cross_entropy_with_logits(x, y); }), "with_logits", "(3,)"));
  CHECK(says(error_of([&] { F::mse_loss(x, x, {Reduction::batchmean}); }), "mse_loss", "batchmean"));
  CHECK(says(error_of([&] { F::smooth_l1_loss(x, x, {.beta = -1}); }), "beta is -1"));
  CHECK(says(error_of([&] { F::binary_cross_entropy(x, x, {.weight = tl::ones({2})}); }), "weight",
             "(2,)", "(2, 3)"));
  check_close(F::smooth_l1_loss(x, x * 3, {.beta = 0}), {}, {2});
}

TEST_CASE("loss modules: are the functions, with their weights as buffers") {
  namespace nn = tl::nn;
  const tl::Tensor x = tl::tensor({{0.2, 0.8}, {0.6, 0.4}}), y = tl::tensor({{0., 1.}, {0.5, 0.5}});
  const auto same = [](const tl::Tensor& a, const tl::Tensor& b) {
    return a.item<float>() == b.item<float>();
  };
  CHECK(same(nn::MSELoss()(x, y), F::mse_loss(x, y)));
  CHECK(same(nn::L1Loss({nn::Reduction::sum})(x, y), F::l1_loss(x, y, {Reduction::sum})));
  CHECK(same(nn::SmoothL1Loss({.beta = 0.1})(x, y), F::smooth_l1_loss(x, y, {.beta = 0.1})));
  CHECK(same(nn::CrossEntropyLoss({.label_smoothing = 0.1})(x, labels({0, 1})),
             F::cross_entropy(x, labels({0, 1}), {.label_smoothing = 0.1})));
  CHECK(same(nn::NLLLoss()(x, labels({0, 1})), F::nll_loss(x, labels({0, 1}))));
  CHECK(same(nn::BCELoss()(x, y), F::binary_cross_entropy(x, y)));
  CHECK(same(nn::BCEWithLogitsLoss()(x, y), F::binary_cross_entropy_with_logits(x, y)));
  CHECK(same(nn::KLDivLoss({.reduction = Reduction::batchmean})(x, y),
             F::kl_div(x, y, {.reduction = Reduction::batchmean})));

  nn::CrossEntropyLoss weighted({.weight = tl::tensor({1., 3.})});
  CHECK(weighted.state_dict().size() == 1);
  CHECK(weighted.parameters().empty());
  weighted.to(tl::float64);
  CHECK(weighted(x.to(tl::float64), labels({0, 1})).dtype() == tl::float64);
  nn::BCEWithLogitsLoss both({.weight = tl::ones({2}), .pos_weight = tl::ones({2})});
  CHECK(both.state_dict()[1].name == "pos_weight");
  CHECK(says(error_of([&] { weighted.forward(x); }), "CrossEntropyLoss", "forward"));
}
