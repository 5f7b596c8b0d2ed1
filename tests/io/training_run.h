#pragma once

#include <torchlight/torchlight.h>

namespace torchlight::test {

/// Takes off a running mean, which is a buffer.
struct Centre : nn::Module {
  explicit Centre(std::int64_t size) : mean(register_buffer("running_mean", zeros({size}))) {}
  Tensor forward(const Tensor& x) override {
    if (is_training()) {
      const no_grad guard;
      mean.mul_(0.9).add_(x.mean(0) * 0.1);
    }
    return x - mean;
  }
  Tensor mean;
};

/// A run with everything that has a state: buffers, random numbers (Dropout), an optimizer with two slots and
/// two groups, a schedule.
struct TrainingRun {
  nn::Sequential model;
  optim::AdamW optimizer;
  optim::ExponentialLR schedule;
  Checkpoint state;

  explicit TrainingRun(std::int64_t hidden = 8)
      : model(nn::Linear(4, hidden), Centre(hidden), nn::ReLU(), nn::Dropout(0.3),
              nn::Linear(hidden, 2)),
        optimizer(groups(model.parameters())),
        schedule(optimizer, 0.9) {
    state.add("model", model);
    state.add("optimizer", optimizer);
    state.add("schedule", schedule);
  }

  void train(int steps) {
    for (int i = 0; i < steps; ++i) {
      const Tensor x = randn({16, 4}), y = (x.sum(1) > 0).to(int64);
      optimizer.zero_grad();
      const Tensor loss = nn::functional::cross_entropy(model(x), y);
      loss.backward();
      optimizer.step();
      if (++state.step % 5 == 0) {
        schedule.step();
        ++state.epoch;
      }
      state.values["last loss"] = loss.item<double>();
    }
  }

 private:
  using Groups = std::vector<optim::ParamGroup<optim::AdamWOptions>>;
  static Groups groups(const std::vector<Tensor>& parameters) {
    return {{{parameters[0], parameters[1]}, {.lr = 0.02}},
            {{parameters.begin() + 2, parameters.end()}, {.lr = 0.01}}};
  }
};

}  // namespace torchlight::test
