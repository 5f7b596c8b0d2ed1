#include "trainings.h"

#include <torchlight/data.h>
#include <torchlight/nn.h>
#include <torchlight/optim.h>

namespace nn = tl::nn;

namespace {

/// What `torchlight train digits` trains.
nn::Sequential make_model() {
  return nn::Sequential(nn::Conv2d(1, 32, 3, {.padding = 1}), nn::ReLU(),   //
                        nn::Conv2d(32, 64, 3, {.padding = 1}), nn::ReLU(),  //
                        nn::MaxPool2d(2), nn::Dropout(0.25), nn::Flatten(), nn::Linear(64 * 4 * 4, 128),
                        nn::ReLU(),  //
                        nn::Dropout(0.25), nn::Linear(128, 10));
}

}  // namespace

void train_digits(const Training& training) {
  tl::manual_seed(training.seed);
  const tl::Tensor table = tl::data::read_csv(DIGITS);
  const tl::data::TensorDataset digits(table.slice(1, 0, 64).reshape({-1, 1, 8, 8}) / 16,
                                       table.select(1, 64).to(tl::int64));
  tl::data::DataLoader loader(digits, {.batch_size = 64, .shuffle = true, .seed = training.seed});
  nn::Sequential model = make_model();
  model.to(training.device);
  tl::optim::Adam optimizer(model.parameters(), {.lr = 1e-3});
  for (int step = 0; step < training.steps;) {
    for (auto [images, labels] : loader) {
      if (step++ == training.steps) return;
      const tl::Tensor loss =
          nn::functional::cross_entropy(model(images.to(training.device)), labels.to(training.device));
      training.tell(loss);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
  }
}
