#include <cmath>

#include "steps.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::test::check_path, tl::test::error_of, tl::test::gradient, tl::test::path, tl::test::says,
    tl::test::scalar_parameter, tl::test::step_with;

namespace {

void check_sgd(optim::SGDOptions options, const std::vector<double>& gradients,
               const std::vector<double>& wanted) {
  const tl::Tensor w = scalar_parameter(1);
  optim::SGD optimizer({w}, options);
  check_path(path(optimizer, w, gradients), wanted);
}

}  // namespace

TEST_CASE("E03: sgd: the first momentum buffer is undamped, decay works without momentum") {
  check_sgd({.lr = 0.1, .momentum = 0.9, .dampening = 0.5}, {1, 1}, {0.9, 0.76});
  check_sgd({.lr = 0.1, .weight_decay = 0.5}, {0}, {0.95});
  check_sgd({.lr = 0.1, .momentum = 0.9}, {1, 1}, {0.9, 0.71});
}

TEST_CASE("sgd: plain, with decay in the momentum, and with nesterov") {
  check_sgd({.lr = 0.1}, {1, -2}, {0.9, 1.1});
  // g1 = 1.5, g2 = 1 + 0.5 * 0.85 = 1.425, buffer 0.9 * 1.5 + 1.425
  check_sgd({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.5}, {1, 1}, {0.85, 0.85 - 0.2775});
  // g + 0.9 * buffer: 1 + 0.9 * 1, then 1 + 0.9 * 1.9
  check_sgd({.lr = 0.1, .momentum = 0.9, .nesterov = true}, {1, 1}, {0.81, 0.81 - 0.271});
}

TEST_CASE("E07: sgd: state belongs to the parameter, not to its place among those with a gradient") {
  const tl::Tensor p0 = scalar_parameter(1), p1 = scalar_parameter(1);
  optim::SGD optimizer({p0, p1}, {.lr = 0.1, .momentum = 0.9});
  step_with(optimizer, {p0, p1}, {{}, gradient(1)});
  step_with(optimizer, {p0, p1}, {gradient(1), gradient(1)});
  CHECK(p0.item<double>() == doctest::Approx(0.9));
  CHECK(p1.item<double>() == doctest::Approx(0.71));
}

TEST_CASE("E07: sgd: a parameter without gradient, or frozen, isn't touched by decay") {
  tl::Tensor p0 = scalar_parameter(1), p1 = scalar_parameter(1), frozen = scalar_parameter(1);
  frozen.requires_grad_(false);
  optim::SGD optimizer({p0, p1, frozen}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1});
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    (p1 * frozen).sum().backward();
    optimizer.step();
  }
  CHECK(p0.item<double>() == 1);
  CHECK(frozen.item<double>() == 1);
  CHECK(p1.item<double>() < 0.9);
}

TEST_CASE("sgd: groups have options of their own") {
  const tl::Tensor slow = scalar_parameter(1), fast = scalar_parameter(1);
  optim::SGD optimizer(
      {{.params = {slow}, .options = {.lr = 0.1}}, {.params = {fast}, .options = {.lr = 0.5}}});
  CHECK(optimizer.group_count() == 2);
  step_with(optimizer, {slow, fast}, {gradient(1), gradient(1)});
  CHECK(slow.item<double>() == doctest::Approx(0.9));
  CHECK(fast.item<double>() == doctest::Approx(0.5));
  optimizer.set_lr(0, 1);
  step_with(optimizer, {slow, fast}, {gradient(1), gradient(1)});
  CHECK(fast.item<double>() == doctest::Approx(0.5));
  CHECK(optimizer.lr(0) == 0.1);
  CHECK(says(error_of([&] { optimizer.lr(2); }), "group 2"));
}

TEST_CASE("sgd: a step changes the parameter in place and records nothing") {
  const tl::Tensor w = scalar_parameter(1);
  const std::vector<tl::Tensor> same{w};
  optim::SGD optimizer({w}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1});
  step_with(optimizer, {w}, {gradient(1)});
  CHECK(same[0].item<double>() == doctest::Approx(0.89));
  CHECK(w.is_leaf());
  CHECK(w.requires_grad());
  CHECK(w.grad().item<double>() == 1);
}

TEST_CASE("sgd: changing the gradient after a step doesn't change the momentum") {
  const tl::Tensor w = scalar_parameter(1);
  optim::SGD optimizer({w}, {.lr = 0.1, .momentum = 0.9});
  tl::Tensor g = gradient(1);
  step_with(optimizer, {w}, {g});
  g.fill_(100);
  step_with(optimizer, {w}, {gradient(1)});
  CHECK(w.item<double>() == doctest::Approx(0.71));
}

TEST_CASE("optimizer: bad parameters and options are refused") {
  const tl::Tensor w = scalar_parameter(1);
  CHECK(says(error_of([&] { optim::SGD({w * 2}); }), "leaves"));
  CHECK(says(error_of([&] { optim::SGD({w, w}); }), "twice"));
  CHECK(says(error_of([&] { optim::SGD({{.params = {w}}, {.params = {w}}}); }), "twice"));
  CHECK(says(error_of([&] { optim::SGD(std::vector<tl::Tensor>{}); }), "no parameters"));
  CHECK(says(error_of([&] { optim::SGD({w}, {.lr = -1}); }), "lr", "-1"));
  CHECK(says(error_of([&] { optim::SGD({w}, {.nesterov = true}); }), "nesterov"));
  CHECK(says(error_of([&] { optim::Adam({w}, {.eps = -1}); }), "eps"));
  CHECK(says(error_of([&] { optim::Adam({w}, {.betas = {0.9, 1}}); }), "beta2", "below 1"));
  CHECK(says(error_of([&] { optim::AdamW({w}, {.betas = {1, 0.9}}); }), "beta1", "below 1"));
  CHECK(says(error_of([&] { optim::Adam({w}, {.lr = INFINITY}); }), "lr", "finite"));
}
