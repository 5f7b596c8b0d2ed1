#include <cmath>

#include <torchlight/torchlight.h>

#include "commands.h"
#include "digits.h"
#include "evaluate.h"
#include "interrupt.h"
#include "progress.h"
#include "text.h"

namespace command {
namespace {

namespace nn = tl::nn;

/// Everything that can be wrong with the user's wishes has been checked when this exists.
struct Setup {
  explicit Setup(const TrainOptions& options)
      : device(options.device.empty() ? tl::Device() : tl::Device(options.device)),
        digits(load_digits(options.data, device)),
        parts(split_digits(digits, options.seed)) {
    tl::check_writable(options.out);
  }

  tl::Device device;
  Digits digits;
  Parts parts;
};

Setup prepare(const TrainOptions& options) {
  try {
    return Setup(options);
  } catch (const tl::Error& error) {
    throw BadInput(error.what());
  }
}

std::int64_t count_right(const tl::Tensor& scores, const tl::Tensor& labels) {
  return (scores.argmax(1) == labels).sum().item<std::int64_t>();
}

// BadInput, saying when it was, if `what` isn't.
void require_finite(bool finite, const std::string& what, const Progress& progress) {
  if (finite) return;
  throw BadInput(
      format("%s at step %lld of epoch %lld: training stopped, and no weights were saved; try a "
             "smaller --lr",
             what.c_str(), static_cast<long long>(progress.step_in_epoch()),
             static_cast<long long>(progress.epoch())));
}

// The last step has no loss after it that would show what became of the weights.
void require_finite(const nn::Module& model, const Progress& progress) {
  for (const auto& [name, tensor] : model.state_dict())
    require_finite(tensor.isfinite().all().item<bool>(), name + " is not finite any more", progress);
}

enum class End { complete, interrupted };

End train(nn::Sequential& model, const Setup& setup, const TrainOptions& options, Output& out) {
  const tl::data::TensorDataset dataset(setup.digits.images, setup.digits.labels);
  tl::data::DataLoader loader(tl::data::Subset(dataset, setup.parts.training),
                              {.batch_size = options.batch, .shuffle = true, .seed = options.seed});
  tl::optim::Adam optimizer(model.parameters(), {.lr = options.lr});
  tl::optim::CosineAnnealingLR schedule(optimizer, options.epochs * loader.size());
  Progress progress(out, options.epochs, loader.size());

  model.train();
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (auto [images, labels] : loader) {
      const tl::Tensor scores = model(images);
      const tl::Tensor loss = nn::functional::cross_entropy(scores, labels);
      const double loss_value = loss.item<double>();
      progress.begin_step();
      require_finite(std::isfinite(loss_value), format("the loss is %g", loss_value), progress);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
      schedule.step();
      progress.end_step(loss_value, count_right(scores, labels), labels.size(0));
      if (!interrupted()) continue;
      require_finite(model, progress);
      return End::interrupted;
    }
    require_finite(model, progress);
    progress.end_epoch();
  }
  return End::complete;
}

}  // namespace

int train_digits(Output& out, const TrainOptions& options) {
  const Setup setup = prepare(options);
  tl::manual_seed(options.seed);
  nn::Sequential model = make_model();
  model.to(setup.device);
  out.line(format("digits: %lld to learn from, %lld held out; device %s",
                  static_cast<long long>(setup.parts.training.numel()),
                  static_cast<long long>(setup.parts.test.numel()), setup.device.name().c_str()));

  catch_interrupts();
  const End end = train(model, setup, options, out);
  tl::save(model.state_dict(), options.out);
  if (end == End::interrupted) {
    out.line("stopped; weights so far saved to " + options.out);
    return stopped + interrupted();
  }
  report_accuracy(out, model, setup.digits, setup.parts.test);
  out.line("weights saved to " + options.out);
  return done;
}

}  // namespace command
