#include <cmath>

#include "steps.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::test::check_path, tl::test::gradient, tl::test::path, tl::test::scalar_parameter,
    tl::test::step_with;

namespace {

// The paper's formulas on one number.
std::vector<double> by_formula(const std::vector<double>& gradients, double lr, double beta1,
                               double beta2, double eps, double l2, double decoupled) {
  double w = 1, m = 0, v = 0;
  std::vector<double> values;
  for (std::size_t t = 1; t <= gradients.size(); ++t) {
    const double g = gradients[t - 1] + l2 * w;
    w -= lr * decoupled * w;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const double m_hat = m / (1 - std::pow(beta1, t)), v_hat = v / (1 - std::pow(beta2, t));
    w -= lr * m_hat / (std::sqrt(v_hat) + eps);
    values.push_back(w);
  }
  return values;
}

const std::vector<double> gradients{2, -1, 0, 0.5, 3};

}  // namespace

TEST_CASE("E02: adam: eps is added to the root of the corrected second moment") {
  const tl::Tensor w = scalar_parameter(1);
  optim::Adam optimizer({w}, {.lr = 0.1, .eps = 1});
  check_path(path(optimizer, w, {2}), {1 - 0.1 * 2 / 3});
}

TEST_CASE("adam: follows the paper, bias correction and decay in the gradient included") {
  const tl::Tensor w = scalar_parameter(1);
  optim::Adam optimizer({w}, {.lr = 0.1, .betas = {0.8, 0.9}, .eps = 1e-3, .weight_decay = 0.2});
  check_path(path(optimizer, w, gradients), by_formula(gradients, 0.1, 0.8, 0.9, 1e-3, 0.2, 0));
}

TEST_CASE("adam: defaults are those of PyTorch") {
  const tl::Tensor w = scalar_parameter(1);
  optim::Adam optimizer({w});
  check_path(path(optimizer, w, gradients), by_formula(gradients, 1e-3, 0.9, 0.999, 1e-8, 0, 0));
}

TEST_CASE("adamw: decay is decoupled from the gradient") {
  const tl::Tensor w = scalar_parameter(1);
  optim::AdamW optimizer({w}, {.lr = 0.1});
  check_path(path(optimizer, w, gradients), by_formula(gradients, 0.1, 0.9, 0.999, 1e-8, 0, 0.01));
}

TEST_CASE("adam: steps are counted once per step, and only for parameters with a gradient") {
  const tl::Tensor early = scalar_parameter(1), late = scalar_parameter(1), other = scalar_parameter(1);
  optim::Adam optimizer({early, other, late}, {.lr = 0.1});
  step_with(optimizer, {early, other, late}, {gradient(2), gradient(1), {}});
  step_with(optimizer, {early, other, late}, {gradient(-1), gradient(1), gradient(2)});
  CHECK(early.item<double>() == doctest::Approx(by_formula({2, -1}, 0.1, 0.9, 0.999, 1e-8, 0, 0)[1]));
  CHECK(late.item<double>() == doctest::Approx(by_formula({2}, 0.1, 0.9, 0.999, 1e-8, 0, 0)[0]));
}

TEST_CASE("adam: finds the minimum of a bowl") {
  tl::Tensor w = tl::tensor({5., -3.}, {.requires_grad = true});
  optim::Adam optimizer({w}, {.lr = 0.3});
  for (int i = 0; i < 300; ++i) {
    optimizer.zero_grad();
    (w - tl::tensor({1., 2.})).square().sum().backward();
    optimizer.step();
  }
  tl::test::check_close(w, 2, {1, 2}, 1e-3);
}
