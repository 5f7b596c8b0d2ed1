#include <iostream>

#include <torchlight/nn.h>
#include <torchlight/optim.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main() {
  tl::manual_seed(1);
  // Is a point inside the circle of radius 0.6?
  tl::Tensor points = tl::uniform({512, 2}, -1, 1);
  tl::Tensor labels = (points.square().sum(1) < 0.36).to(tl::int64);

  nn::Sequential model(nn::Linear(2, 32), nn::ReLU(), nn::Linear(32, 2));
  tl::optim::Adam optimizer(model.parameters(), {.lr = 0.02});

  for (int step = 0; step < 200; ++step) {
    tl::Tensor loss = nn::functional::cross_entropy(model(points), labels);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }

  tl::no_grad guard;
  double accuracy = (model(points).argmax(1) == labels).to(tl::float32).mean().item<double>();
  std::cout << (accuracy > 0.97 ? "learned the circle" : "did not learn") << "\n";
}
