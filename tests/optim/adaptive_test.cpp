// RMSprop and Adagrad. The paths were computed by PyTorch 1.13 in float64.
#include "steps.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::test::check_path, tl::test::path, tl::test::scalar_parameter, tl::test::step_with;

namespace {

const std::vector<double> gradients{1, -2, 0.5, 0};

template <class Optimizer, class Options>
void check(Options options, const std::vector<double>& wanted) {
  const tl::Tensor w = scalar_parameter(1);
  Optimizer optimizer({w}, options);
  check_path(path(optimizer, w, gradients), wanted);
}

}  // namespace

TEST_CASE("rmsprop: plain, with decay and momentum, centered") {
  check<optim::RMSprop>(optim::RMSpropOptions{}, {0.90000000999999907, 0.98953230219915222,
                                                  0.96758495053504889, 0.96758495053504889});
  check<optim::RMSprop>(
      optim::RMSpropOptions{.lr = 0.1, .alpha = 0.5, .eps = 1e-3, .weight_decay = 0.1, .momentum = 0.9},
      {0.85876022849034084, 0.86257209334010598, 0.81338276184122871, 0.75881902239834209});
  check<optim::RMSprop>(
      optim::RMSpropOptions{.lr = 0.1, .alpha = 0.9, .centered = true},
      {0.66666667777777744, 0.95597536466129907, 0.88254109960899063, 0.88254109960899063});
}

TEST_CASE(
    "rmsprop: a constant gradient, centered, gives a variance that rounding can't make negative") {
  const tl::Tensor w = tl::full({1}, 1, {.dtype = tl::float32, .requires_grad = true});
  optim::RMSprop optimizer({w}, {.lr = 1e-3, .alpha = 0.5, .centered = true});
  for (int i = 0; i < 60; ++i) step_with(optimizer, {w}, {tl::full({1}, 0.3)});
  CHECK(tl::isfinite(w).item<bool>());
}

TEST_CASE("adagrad: plain, with decay of the rate and the weight") {
  check<optim::Adagrad>(optim::AdagradOptions{}, {0.99000000000099997, 0.99894427191059909,
                                                  0.9967620930083344, 0.9967620930083344});
  check<optim::Adagrad>(
      optim::AdagradOptions{.lr = 0.1,
                            .lr_decay = 0.5,
                            .weight_decay = 0.1,
                            .initial_accumulator_value = 0.2,
                            .eps = 1e-3},
      {0.90744123722256742, 0.96402712047912076, 0.95121308199407006, 0.94957946001951243});
}

TEST_CASE("rmsprop, adagrad: a restored optimizer goes on with the same bits") {
  const auto check_restored = [](auto make) {
    tl::Tensor w = scalar_parameter(1), copy = scalar_parameter(1);
    auto whole = make(w);
    path(whole, w, {1, -0.3});
    copy.detach().copy_(w.detach());
    auto rest = make(copy);
    rest.load_state_dict(whole.state_dict());
    CHECK(path(whole, w, {0.7, 0.1}) == path(rest, copy, {0.7, 0.1}));
  };
  check_restored(
      [](const tl::Tensor& w) { return optim::RMSprop({w}, {.momentum = 0.9, .centered = true}); });
  check_restored([](const tl::Tensor& w) { return optim::Adagrad({w}, {.lr_decay = 0.1}); });
}
