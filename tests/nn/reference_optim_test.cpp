#include <doctest/doctest.h>

#include "reference.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::Tensor;
using tl::test::one, tl::test::ReferenceCase, tl::test::ReferenceRun;

namespace {

/// The parameter after each of the steps with the case's gradients.
template <class Optimizer, class Options> ReferenceRun stepping(Options options) {
  return one([options](ReferenceCase& c) {
    Tensor w = c.in("w").detach().clone().requires_grad_();
    Optimizer optimizer({w}, options);
    std::vector<Tensor> path;
    const Tensor gradients = c.in("grads").detach();
    for (std::int64_t step = 0; step < gradients.size(0); ++step) {
      w.set_grad(gradients[step].clone());
      optimizer.step();
      path.push_back(w.detach().clone());
    }
    return tl::stack(path);
  });
}

/// The rate in each step. `make` gives a schedule, whose step takes a metric or nothing.
template <class Make> ReferenceRun rates(Make make) {
  return one([make](ReferenceCase& c) {
    const Tensor w = tl::zeros({1}, {.requires_grad = true});
    optim::SGD optimizer({w}, {.lr = 0.1});
    auto schedule = make(optimizer);
    std::vector<double> path;
    for (const double metric : c.in("metrics").to_vector<double>()) {
      path.push_back(optimizer.lr());
      if constexpr (requires { schedule.step(metric); })
        schedule.step(metric);
      else
        schedule.step();
    }
    return tl::tensor(path);
  });
}

}  // namespace

TEST_CASE("reference: optimizers over 50 steps") {
  using optim::SGD, optim::SGDOptions, optim::Adam, optim::AdamOptions, optim::AdamW,
      optim::AdamWOptions, optim::RMSprop, optim::RMSpropOptions, optim::Adagrad, optim::AdagradOptions;
  tl::test::check_reference(
      "optimizers",
      {{"sgd", stepping<SGD>(SGDOptions{.lr = 0.1, .weight_decay = 0.05})},
       {"sgd_momentum", stepping<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.3})},
       {"sgd_nesterov",
        stepping<SGD>(SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.05, .nesterov = true})},
       {"adam", stepping<Adam>(AdamOptions{.lr = 0.1})},
       {"adam_decay", stepping<Adam>(AdamOptions{
                          .lr = 0.1, .betas = {0.8, 0.95}, .eps = 1e-3, .weight_decay = 0.05})},
       {"adamw", stepping<AdamW>(AdamWOptions{.lr = 0.1})},
       {"adamw_decay",
        stepping<AdamW>(AdamWOptions{.lr = 0.1, .betas = {0.8, 0.95}, .weight_decay = 0.5})},
       {"rmsprop", stepping<RMSprop>(RMSpropOptions{.lr = 0.1, .alpha = 0.9})},
       {"rmsprop_centered", stepping<RMSprop>(RMSpropOptions{
                                .lr = 0.1, .weight_decay = 0.05, .momentum = 0.9, .centered = true})},
       {"adagrad",
        stepping<Adagrad>(AdagradOptions{
            .lr = 0.5, .lr_decay = 0.1, .weight_decay = 0.05, .initial_accumulator_value = 0.2})}});
}

TEST_CASE("reference: schedules over 50 steps") {
  using optim::Optimizer;
  using Plateau = optim::ReduceLROnPlateau;
  tl::test::check_reference(
      "schedules",
      {{"step", rates([](Optimizer& o) { return optim::StepLR(o, 7, 0.5); })},
       {"multi_step", rates([](Optimizer& o) {
          return optim::MultiStepLR(o, {3, 11, 30}, 0.3);
        })},
       {"exponential", rates([](Optimizer& o) { return optim::ExponentialLR(o, 0.93); })},
       {"cosine", rates([](Optimizer& o) { return optim::CosineAnnealingLR(o, 20, 0.01); })},
       {"one_cycle", rates([](Optimizer& o) { return optim::OneCycleLR(o, 0.4, 51); })},
       {"one_cycle_linear", rates([](Optimizer& o) {
          return optim::OneCycleLR(o, 0.4, 60,
                                   {.pct_start = 0.2,
                                    .anneal_strategy = optim::Anneal::linear,
                                    .div_factor = 10,
                                    .final_div_factor = 100});
        })},
       {"one_cycle_short",
        rates([](Optimizer& o) { return optim::OneCycleLR(o, 0.4, 51, {.pct_start = 0.01}); })},
       {"lambda", rates([](Optimizer& o) {
          return optim::LambdaLR(
              o, [](std::int64_t epoch) { return 1 / (1 + static_cast<double>(epoch)); });
        })},
       {"plateau", rates([](Optimizer& o) { return Plateau(o, {.factor = 0.5, .patience = 2}); })},
       {"plateau_max", rates([](Optimizer& o) {
          return Plateau(o, {.mode = Plateau::Options::Mode::max,
                             .factor = 0.5,
                             .patience = 1,
                             .threshold = 0.1,
                             .threshold_mode = Plateau::Options::ThresholdMode::abs,
                             .cooldown = 3,
                             .min_lr = 0.01});
        })}});
}
