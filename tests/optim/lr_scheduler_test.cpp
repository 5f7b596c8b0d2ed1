#include <cmath>
#include <limits>
#include <numbers>

#include "steps.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::test::check_path, tl::test::error_of, tl::test::says, tl::test::scalar_parameter;

namespace {

// The rates that `count` epochs use, starting with the present one.
std::vector<double> rates(optim::Optimizer& optimizer, optim::LRScheduler& schedule, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(optimizer.lr());
    schedule.step();
  }
  return values;
}

optim::SGD sgd(double lr) { return optim::SGD({scalar_parameter(1)}, {.lr = lr}); }

}  // namespace

TEST_CASE("E05: building a schedule uses up no step") {
  optim::SGD a = sgd(0.1);
  optim::ExponentialLR exponential(a, 0.5);
  check_path(rates(a, exponential, 4), {0.1, 0.05, 0.025, 0.0125});
  optim::SGD b = sgd(0.1);
  optim::StepLR steps(b, 2, 0.5);
  check_path(rates(b, steps, 4), {0.1, 0.1, 0.05, 0.05});
  optim::SGD c = sgd(0.1);
  optim::LinearWarmup warmup(c, 4);
  check_path(rates(c, warmup, 6), {0.025, 0.05, 0.075, 0.1, 0.1, 0.1});
}

TEST_CASE("E05: a saved schedule goes on where it was") {
  optim::SGD first = sgd(0.1);
  optim::ExponentialLR before(first, 0.5);
  rates(first, before, 2);  // epochs 0 and 1 are done
  const tl::StateDict optimizer_state = first.state_dict(), state = before.state_dict();

  optim::SGD second = sgd(0.7);
  second.load_state_dict(optimizer_state);
  optim::ExponentialLR after(second, 0.5);
  after.load_state_dict(state);
  CHECK(after.last_epoch() == 2);
  check_path(rates(second, after, 2), {0.025, 0.0125});
}

TEST_CASE("cosine schedule: half a cosine from the base to eta_min") {
  optim::SGD optimizer = sgd(1);
  optim::CosineAnnealingLR schedule(optimizer, 4, 0.2);
  const double quarter = 0.2 + 0.8 * (1 + std::cos(std::numbers::pi / 4)) / 2;
  check_path(rates(optimizer, schedule, 6), {1, quarter, 0.6, 1.2 - quarter, 0.2, 1.2 - quarter});
}

// The rates of the next three were computed by PyTorch 1.13.
TEST_CASE("multi-step schedule: down at each milestone") {
  optim::SGD optimizer = sgd(0.1);
  optim::MultiStepLR schedule(optimizer, {4, 2}, 0.5);
  check_path(rates(optimizer, schedule, 6), {0.1, 0.1, 0.05, 0.05, 0.025, 0.025});
}

TEST_CASE("one-cycle schedule: up, and down to nearly nothing, and an error beyond its end") {
  optim::SGD a = sgd(0.1);
  optim::OneCycleLR cosine(a, 1, 10);
  check_path(rates(a, cosine, 9),
             {0.04, 0.52, 1, 0.95048463201347366, 0.81174565394976306, 0.61126202193628931,
              0.38874197806371075, 0.18825834605023697, 0.049519367986526286});
  CHECK(a.lr() == doctest::Approx(4e-6));
  cosine.step();  // as a loop does that steps after each of its batches
  CHECK(a.lr() == doctest::Approx(4e-6));
  CHECK(says(error_of([&] { cosine.step(); }), "OneCycleLR", "11", "10"));
  CHECK(cosine.last_epoch() == 10);
  CHECK(a.lr() == doctest::Approx(4e-6));

  optim::SGD b = sgd(0.1);
  optim::OneCycleLR linear(b, 1, 7,
                           {.pct_start = 0.5,
                            .anneal_strategy = optim::Anneal::linear,
                            .div_factor = 10,
                            .final_div_factor = 100});
  check_path(rates(b, linear, 6),
             {0.1, 0.46, 0.82, 0.85728571428571432, 0.57185714285714284, 0.28642857142857137});
  CHECK(b.lr() == doctest::Approx(1e-3));
}

TEST_CASE("one-cycle schedule: as short as can be") {
  for (const std::int64_t steps : {1, 2, 3}) {
    optim::SGD optimizer = sgd(0.1);
    optim::OneCycleLR schedule(optimizer, 1, steps);
    for (std::int64_t i = 1; i < steps; ++i) schedule.step();
    CHECK(std::isfinite(optimizer.lr()));
  }
}

TEST_CASE("plateau schedule: down after more than `patience` epochs without improvement") {
  using Plateau = optim::ReduceLROnPlateau;
  const auto check = [](Plateau::Options options, const std::vector<double>& metrics,
                        const std::vector<double>& wanted) {
    optim::SGD optimizer = sgd(1);
    Plateau schedule(optimizer, options);
    std::vector<double> got;
    for (const double metric : metrics) {
      schedule.step(metric);
      got.push_back(optimizer.lr());
    }
    check_path(got, wanted);
  };
  check({.factor = 0.5, .patience = 1}, {1, 0.9, 0.9, 0.9, 0.95, 0.9, 0.9, 0.1},
        {1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.25});
  check(
      {.mode = Plateau::Options::Mode::max, .factor = 0.5, .patience = 0, .cooldown = 2, .min_lr = 0.2},
      {1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1}, {1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2});
  check({.patience = 0, .threshold = 0.1, .threshold_mode = Plateau::Options::ThresholdMode::abs},
        {1, 0.95, 0.85, 0.8, std::nan(""), 0.6}, {1, 0.1, 0.1, 0.01, 0.001, 0.001});
}

TEST_CASE("plateau schedule: a saved one goes on where it was") {
  optim::SGD a = sgd(1), b = sgd(1);
  optim::ReduceLROnPlateau before(a, {.patience = 1}), after(b, {.patience = 1});
  before.step(1);
  before.step(2);
  after.load_state_dict(before.state_dict());
  after.step(2);
  CHECK(b.lr() == doctest::Approx(0.1));
  CHECK(says(error_of([&] { after.load_state_dict({}); }), "best", "missing"));
}

TEST_CASE("lambda schedule: any function of the epoch") {
  optim::SGD optimizer = sgd(0.1);
  optim::LambdaLR schedule(optimizer, [](std::int64_t epoch) { return 1.0 / double(epoch + 1); });
  check_path(rates(optimizer, schedule, 3), {0.1, 0.05, 0.1 / 3});
}

TEST_CASE("schedule: each group keeps its own base") {
  optim::SGD optimizer({{.params = {scalar_parameter(1)}, .options = {.lr = 0.1}},
                        {.params = {scalar_parameter(1)}, .options = {.lr = 1}}});
  optim::ExponentialLR schedule(optimizer, 0.5);
  schedule.step();
  CHECK(optimizer.lr(0) == doctest::Approx(0.05));
  CHECK(optimizer.lr(1) == doctest::Approx(0.5));
}

TEST_CASE("schedule: bad numbers and states are refused, and change nothing") {
  optim::SGD optimizer = sgd(0.1);
  CHECK(says(error_of([&] { optim::StepLR(optimizer, 0); }), "step_size", "0"));
  CHECK(says(error_of([&] { optim::CosineAnnealingLR(optimizer, 0); }), "T_max", "0"));
  CHECK(says(error_of([&] { optim::MultiStepLR(optimizer, {3, -1}); }), "-1"));
  CHECK(says(error_of([&] { optim::OneCycleLR(optimizer, 1, 0); }), "total_steps", "0"));
  CHECK(
      says(error_of([&] { optim::OneCycleLR(optimizer, 1, 9, {.pct_start = 1}); }), "pct_start", "1"));
  CHECK(says(error_of([&] { optim::ReduceLROnPlateau(optimizer, {.factor = 1}); }), "factor", "1"));
  CHECK(says(error_of([&] { optim::LambdaLR(optimizer, nullptr); }), "empty"));
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK(says(error_of([&] { optim::CosineAnnealingLR(optimizer, 2, bad); }), "eta_min"));
    CHECK(says(error_of([&] { optim::ExponentialLR(optimizer, bad); }), "gamma"));
    CHECK(says(error_of([&] { optim::StepLR(optimizer, 2, bad); }), "gamma"));
    CHECK(says(error_of([&] { optim::MultiStepLR(optimizer, {2}, bad); }), "gamma"));
    CHECK(says(error_of([&] { optim::OneCycleLR(optimizer, bad, 9); }), "max_lr"));
    CHECK(says(error_of([&] { optimizer.set_lr(bad); }), "lr"));
  }
  optim::ExponentialLR schedule(optimizer, 0.5);
  schedule.step();
  for (const auto& [name, bad] : {std::pair{"last_epoch", -1.0},
                                  {"last_epoch", std::nan("")},
                                  {"last_epoch", 0.5},
                                  {"last_epoch", 1e300},
                                  {"base_lr.0", -1.0},
                                  {"base_lr.0", std::nan("")}}) {
    tl::StateDict wrong = schedule.state_dict();
    for (tl::NamedTensor& entry : wrong)
      if (entry.name == name) entry.tensor = tl::tensor(bad, {.dtype = tl::float64});
    CHECK(says(error_of([&] { schedule.load_state_dict(wrong); }), name));
  }
  CHECK(says(error_of([&] { schedule.load_state_dict({}); }), "last_epoch", "missing"));
  tl::StateDict more = schedule.state_dict();
  more.push_back({"base_lr.1", tl::tensor(0.5)});
  CHECK(says(error_of([&] { schedule.load_state_dict(more); }), "base_lr.1", "unexpected"));
  CHECK(schedule.last_epoch() == 1);
  CHECK(optimizer.lr() == doctest::Approx(0.05));
}
