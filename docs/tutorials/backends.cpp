#include <cstdlib>
#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

int main() {
  tl::Tensor x = tl::tensor({-1.0, 0.0, 1.0});

  tl::Backend named = tl::get_backend("cpu");       // by name
  tl::Backend fallback = tl::get_backend(nullptr);  // the default device
  setenv("TORCHLIGHT_DEVICE", "cpu", 1);
  tl::Backend chosen = tl::get_backend();  // the one that TORCHLIGHT_DEVICE names now

  auto relu = named.map("relu");
  auto add = fallback.zip("add");
  auto sum = chosen.reduce("sum");
  std::cout << relu(x).str() << " " << add(x, x).str() << " " << sum(x, {0}).str() << "\n";
  std::cout << named.attn_softmax_fw(tl::zeros({1, 4})).str() << "\n";
}
