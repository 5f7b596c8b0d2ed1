#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

int main() {
  tl::Tensor x = tl::randn({3, 4}).requires_grad_();  // on TORCHLIGHT_DEVICE, or the cpu
  tl::Tensor y = (x.sigmoid() * 2).sum();
  y.backward();
  std::cout << x.grad().shape().str() << " on " << x.device().name() << "\n";
}
