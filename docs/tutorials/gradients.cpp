#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

int main() {
  tl::Tensor x = tl::zeros({3}).requires_grad_();
  x.sigmoid().sum().backward();
  std::cout << x.grad().str() << "\n";

  // C++ has no ** operator: it is pow.
  tl::Tensor w = tl::tensor({1.0, 2.0, 3.0}, {.requires_grad = true});
  w.pow(2).sum().backward();
  std::cout << w.grad().str() << "\n";

  // Gradients add up until they are forgotten.
  w.pow(2).sum().backward();
  std::cout << w.grad().str() << "\n";
  w.zero_grad();

  // The gradient of a gradient: d²(x³)/dx² = 6x.
  tl::Tensor first = tl::grad({w.pow(3).sum()}, {w}, {}, {.create_graph = true})[0];
  std::cout << tl::grad({first.sum()}, {w})[0].str() << "\n";

  tl::no_grad guard;  // to the end of this scope nothing is recorded
  std::cout << std::boolalpha << (w * 2).requires_grad() << "\n";
}
