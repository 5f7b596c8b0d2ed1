// A program outside the tree: finds the line through noisy points by following the gradient.
#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

int main() {
  tl::Tensor x = tl::linspace(-1, 1, 100);
  tl::Tensor y = 3 * x - 1 + 0.1 * tl::randn({100});
  tl::Tensor w = tl::zeros({2}).requires_grad_();

  for (int step = 0; step < 200; ++step) {
    (w[0] * x + w[1] - y).square().mean().backward();
    tl::no_grad guard;
    w -= 0.5 * w.grad();
    w.zero_grad();
  }
  std::cout << "slope " << w[0].item<float>() << ", height " << w[1].item<float>() << "\n";
}
