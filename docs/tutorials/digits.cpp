#include <iostream>

#include <torchlight/data.h>
#include <torchlight/io.h>
#include <torchlight/nn.h>
#include <torchlight/optim.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main(int argc, char** argv) {
  tl::manual_seed(1);
  // 1797 rows of 64 pixels (0 to 16) and a label (0 to 9).
  const std::string file = argc > 1 ? argv[1] : "tools/torchlight/data/digits.csv.gz";
  tl::Tensor table = tl::data::read_csv(file);
  tl::Tensor images = table.slice(1, 0, 64).reshape({-1, 1, 8, 8}) / 16;
  tl::Tensor labels = table.select(1, 64).to(tl::int64);

  tl::data::TensorDataset digits(images, labels);
  auto parts = tl::data::stratified_split(digits, labels, {0.8, 0.2}, 1);
  tl::data::DataLoader training(parts[0],
                                {.batch_size = 64, .shuffle = true, .seed = 1, .prefetch = 2});

  nn::Sequential model(nn::Conv2d(1, 8, 3, {.padding = 1}), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                       nn::Linear(8 * 4 * 4, 10));
  tl::optim::Adam optimizer(model.parameters(), {.lr = 0.01});

  for (int epoch = 0; epoch < 10; ++epoch)
    for (auto [x, y] : training) {
      tl::Tensor loss = nn::functional::cross_entropy(model(x), y);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }

  tl::no_grad guard;
  auto [x, y] = digits.get(parts[1].indices());  // all that were held out
  double right = (model.eval()(x).argmax(1) == y).to(tl::float32).mean().item<double>();
  std::cout << "of " << y.size(0) << " digits it hasn't seen, "
            << (right > 0.96 ? "more than 96 %" : "too few") << " are read rightly\n";
}
