#include <iomanip>
#include <iostream>

#include <torchlight/data.h>
#include <torchlight/nn.h>
#include <torchlight/optim.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main() {
  tl::manual_seed(3);
  // Points of the unit square, labelled 1 where just one of x and y is below 0.5.
  tl::data::TensorDataset dataset = tl::data::problems::xor_(400, 3);
  tl::Tensor labels = dataset.tensors()[1];

  // Four fifths to learn from, each class in proportion; the seed fixes which.
  auto parts = tl::data::stratified_split(dataset, labels, {0.8, 0.2}, 7);
  tl::data::DataLoader training(parts[0], {.batch_size = 32, .shuffle = true, .seed = 7});
  tl::data::DataLoader test(parts[1], {.batch_size = 80});

  nn::Sequential model(nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 2));
  tl::optim::AdamW optimizer(model.parameters(), {.lr = 0.05, .weight_decay = 0.01});
  tl::optim::CosineAnnealingLR schedule(optimizer, 40);

  for (int epoch = 0; epoch < 40; ++epoch) {
    for (auto [x, y] : training) {  // another order in each epoch
      tl::Tensor loss = nn::functional::cross_entropy(model(x), y);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
    schedule.step();
  }
  std::cout << std::fixed << std::setprecision(4) << "rate at the end " << optimizer.lr() << "\n";

  tl::no_grad guard;
  for (auto [x, y] : test) {
    double right = (model(x).argmax(1) == y).to(tl::float32).mean().item<double>();
    std::cout << (right > 0.9 ? "more than 90 % of the others are right" : "not learned") << "\n";
  }
}
