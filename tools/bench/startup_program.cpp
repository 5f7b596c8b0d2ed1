// What tools/bench/startup times: a process that makes a tensor and runs one operation.
#include <torchlight/torchlight.h>

#include <cstdio>

int main() {
  const torchlight::Tensor x = torchlight::ones({4});
  std::printf("%g\n", (x + x).sum().item<double>());
}
