#include <iostream>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

int main() {
  // One tensor on a device of its own. "cuda,cpu" means the first that opens; a warning says why cuda doesn't.
  tl::Tensor x = tl::ones({2, 2}, {.device = "cuda,cpu"});

  // Every tensor from here on.
  tl::set_default_device("cpu");
  tl::Tensor y = tl::ones({2, 2});
  std::cout << y.device().name() << "\n";

  // What there is, and why the rest isn't.
  for (const tl::DeviceReport& device : tl::list_devices())
    if (device.name == "cpu") std::cout << device.name << " works\n";

  // A name that nothing answers to is an error that lists what is known.
  try {
    tl::ones({2, 2}, {.device = "gpu"});
  } catch (const tl::DeviceError&) {
    std::cout << "there is no gpu\n";
  }
  x.to("cpu");  // moves; between devices that share the host's memory it copies nothing
}
