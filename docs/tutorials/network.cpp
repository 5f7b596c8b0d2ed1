#include <iostream>

#include <torchlight/nn.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

// Two convolutions with a shortcut around them, and a linear layer.
struct SmallNet : nn::Module {
  nn::Conv2d& first = register_module("first", nn::Conv2d(1, 4, 3, {.padding = 1}));
  nn::Conv2d& second = register_module("second", nn::Conv2d(4, 4, 3, {.padding = 1}));
  nn::Linear& output = register_module("output", nn::Linear(4, 10));

  tl::Tensor forward(const tl::Tensor& images) override {
    tl::Tensor x = first(images).relu();
    x = (second(x) + x).relu();
    return output(x.mean({2, 3}));  // (n, channels, height, width) to (n, channels)
  }
};

int main() {
  tl::manual_seed(0);
  SmallNet net;
  tl::Tensor images = tl::rand({5, 1, 8, 8});
  std::cout << net(images).shape().str() << "\n";

  std::int64_t count = 0;
  for (const tl::NamedTensor& parameter : net.named_parameters()) {
    std::cout << parameter.name << " " << parameter.tensor.shape().str() << "\n";
    count += parameter.tensor.numel();
  }
  std::cout << count << " numbers to learn\n";

  // Layers in a row need no class; printing one shows what it consists of.
  nn::Sequential row(nn::Linear(8, 16), nn::ReLU(), nn::Dropout(0.5), nn::Linear(16, 2));
  std::cout << row << "\n";

  // Dropout does its work in training alone.
  tl::Tensor x = tl::ones({1, 8});
  row.eval();
  std::cout << std::boolalpha << (row(x) == row(x)).all().item<bool>() << "\n";
}
