#pragma once

#include <cmath>
#include <optional>

#include <torchlight/torchlight.h>

#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "projects/setup.h"

namespace command {

namespace tl = torchlight;

/// What a project makes of a batch.
struct Learned {
  tl::Tensor loss;        ///< (), a mean over the examples, with history
  std::int64_t examples;  ///< how many the batch has
  std::optional<std::int64_t> right =
      {};  ///< how many were answered rightly, where answers can be right
};

enum class End { complete, interrupted };

/// BadInput, saying when it was, if the loss isn't finite.
void require_finite_loss(double loss, const Progress& progress);
/// The same for the weights: the last step has no loss after it that would show what became of them.
void require_finite(const tl::nn::Module& model, const Progress& progress);

/// Trains `model` by Adam and a cosine schedule: `learn` gives the loss of each batch of `loader`. Shows how far
/// it is, and stops after the step during which Ctrl-C was pressed.
template <class Loader, class Learn>
End fit(Output& out, const TrainOptions& options, tl::nn::Module& model, Loader& loader,
        const Learn& learn) {
  tl::optim::Adam optimizer(model.parameters(), {.lr = options.lr});
  tl::optim::CosineAnnealingLR schedule(optimizer, options.epochs * loader.size());
  Progress progress(out, options.epochs, loader.size());
  catch_interrupts();

  model.train();
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (auto batch : loader) {
      const Learned step = learn(batch);
      const double loss = step.loss.item<double>();
      progress.begin_step();
      require_finite_loss(loss, progress);
      optimizer.zero_grad();
      step.loss.backward();
      optimizer.step();
      schedule.step();
      progress.end_step(loss, step.examples, step.right);
      if (!interrupted()) continue;
      require_finite(model, progress);
      return End::interrupted;
    }
    require_finite(model, progress);
    progress.end_epoch();
  }
  return End::complete;
}

/// Saves what was learned and, after a complete training, reports on it. Gives the exit status.
template <class Report>
int finish(Output& out, const TrainOptions& options, End end, const tl::StateDict& state,
           const Report& report) {
  tl::save(state, options.out);
  if (end == End::interrupted) {
    out.line("stopped; weights so far saved to " + options.out);
    return stopped + interrupted();
  }
  report();
  out.line("weights saved to " + options.out);
  return done;
}

}  // namespace command
