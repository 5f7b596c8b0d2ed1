#include <cmath>

#include "steps.h"

namespace tl = torchlight;
namespace optim = torchlight::optim;
using tl::test::error_of, tl::test::says;

namespace {

const std::vector<double> start{1, -2, 3};

struct Run {
  tl::Tensor w = tl::tensor(start).requires_grad_();
  tl::Tensor idle = tl::tensor(start).requires_grad_();

  void steps(optim::Optimizer& optimizer, int count) {
    for (int i = 0; i < count; ++i) {
      optimizer.zero_grad();
      (w * w * w).sum().backward();
      optimizer.step();
    }
  }
};

// Five steps at once, and three, a move of the state to a new optimizer, and two, give the same bits.
template <class Optimizer, class Options> void check_resumes(Options options) {
  Run whole, halves;
  Optimizer straight({whole.idle, whole.w}, options);
  whole.steps(straight, 5);

  Optimizer first({halves.idle, halves.w}, options);
  halves.steps(first, 3);
  Optimizer second({halves.idle, halves.w}, Options{});
  second.load_state_dict(first.state_dict());
  halves.steps(second, 2);
  CHECK(halves.w.template to_vector<double>() == whole.w.template to_vector<double>());
  CHECK(halves.w.template to_vector<double>() != start);
}

}  // namespace

TEST_CASE("optimizer state: resumes bit for bit, options included") {
  check_resumes<optim::SGD>(
      optim::SGDOptions{.lr = 0.01, .momentum = 0.9, .weight_decay = 0.1, .nesterov = true});
  check_resumes<optim::SGD>(optim::SGDOptions{.lr = 0.01, .momentum = 0.9, .dampening = 0.3});
  check_resumes<optim::Adam>(
      optim::AdamOptions{.lr = 0.01, .betas = {0.8, 0.95}, .eps = 0.1, .weight_decay = 0.1});
  check_resumes<optim::AdamW>(optim::AdamWOptions{.lr = 0.01});
}

TEST_CASE("optimizer state: is a copy, with nothing for parameters that had no gradient") {
  Run run;
  optim::Adam optimizer({run.idle, run.w}, {});
  run.steps(optimizer, 1);
  const tl::StateDict dict = optimizer.state_dict();
  std::vector<std::string> names;
  for (const auto& entry : dict) names.push_back(entry.name);
  CHECK(names == std::vector<std::string>{"state.1.step", "state.1.exp_avg", "state.1.exp_avg_sq",
                                          "group.0.lr", "group.0.beta1", "group.0.beta2", "group.0.eps",
                                          "group.0.weight_decay"});
  const auto before = dict[1].tensor.to_vector<double>();
  run.steps(optimizer, 1);
  CHECK(dict[1].tensor.to_vector<double>() == before);
}

TEST_CASE("optimizer state: what belongs to something else is refused, and nothing changed") {
  Run run;
  optim::Adam optimizer({run.idle, run.w}, {.lr = 0.5});
  run.steps(optimizer, 1);
  const tl::StateDict good = optimizer.state_dict();
  const auto refused = [&](const tl::StateDict& dict) {
    const std::string error = error_of([&] { optimizer.load_state_dict(dict); });
    CHECK(optimizer.lr() == 0.5);
    CHECK(optimizer.state_dict().size() == good.size());
    return error;
  };
  CHECK(refused(good) == "");

  tl::StateDict changed = good;
  for (const auto& [name, bad] :
       {std::pair{"group.0.lr", std::nan("")}, {"group.0.beta1", 1.0}, {"state.1.step", -1.0}}) {
    for (tl::NamedTensor& entry : changed)
      if (entry.name == name) entry.tensor = tl::tensor(bad, {.dtype = tl::float64});
    CHECK(refused(changed) != "");
    changed = good;
  }
  changed[1].tensor = tl::zeros({2});
  CHECK(says(refused(changed), "state.1.exp_avg", "(2,)", "(3,)"));
  changed = good;
  std::erase_if(changed, [](const tl::NamedTensor& e) { return e.name == "state.1.exp_avg_sq"; });
  CHECK(says(refused(changed), "state.1.exp_avg_sq", "missing", "1 steps"));
  changed = good;
  std::erase_if(changed, [](const tl::NamedTensor& e) { return e.name == "state.1.step"; });
  CHECK(says(refused(changed), "state.1.exp_avg", "is there", "0 steps"));
  changed = good;
  changed[1].name = "state.1.momentum_buffer";
  CHECK(says(refused(changed), "state.1.momentum_buffer", "unexpected"));
  changed = good;
  changed.pop_back();
  CHECK(says(refused(changed), "group.0.weight_decay", "missing"));
  changed = good;
  changed[3].tensor = tl::ones({2});
  CHECK(says(refused(changed), "group.0.lr", "(2,)"));
  changed = good;
  changed.push_back(good[0]);
  CHECK(says(refused(changed), "duplicate"));
}

TEST_CASE("optimizer state: options that make no sense together are refused, and nothing changed") {
  tl::Tensor w = tl::ones({2}).requires_grad_();
  optim::SGD optimizer({w}, {.lr = 0.5, .momentum = 0.9, .nesterov = true});
  w.set_grad(tl::ones({2}));
  optimizer.step();
  tl::StateDict dict = optimizer.state_dict();
  const tl::StateDict good = dict;
  for (tl::NamedTensor& entry : dict)
    if (entry.name == "group.0.momentum") entry.tensor = tl::tensor(0.0, {.dtype = tl::float64});
  CHECK(says(error_of([&] { optimizer.load_state_dict(dict); }), "SGD", "nesterov"));
  dict = good;
  std::erase_if(dict, [](const tl::NamedTensor& e) { return e.name == "state.0.momentum_buffer"; });
  CHECK(says(error_of([&] { optimizer.load_state_dict(dict); }), "state.0.momentum_buffer", "missing"));
  CHECK(optimizer.state_dict().size() == good.size());
  optimizer.load_state_dict(good);

  optim::SGD plain({tl::ones({2}).requires_grad_()}, {.lr = 0.5});  // has no buffer, and wants none
  plain.load_state_dict(plain.state_dict());
}

TEST_CASE("optimizer state follows the parameters to the dtype that Module::to gives them") {
  const auto train = [](bool convert) {
    tl::manual_seed(1);
    tl::nn::Linear model(2, 2);
    if (!convert) model.to(tl::float64);
    optim::AdamW optimizer(model.parameters(), {.lr = 0.1});
    for (int step = 0; step < 4; ++step) {
      if (step == 2 && convert) model.to(tl::float64);
      optimizer.zero_grad();
      model(tl::ones({1, 2}, {.dtype = model.weight.dtype()})).square().sum().backward();
      optimizer.step();
    }
    return model.weight.detach().clone();
  };
  const tl::Tensor converted = train(true);
  CHECK(converted.dtype() == tl::float64);
  CHECK(tl::allclose(converted, train(false), 1e-5, 1e-6));
}
