// twin_trainings gpt|digits DEVICE STEPS SEED: trains on the device and prints the loss of each step.
#include "trainings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

void Training::tell(const tl::Tensor& loss) const { std::printf("%.9g\n", loss.item<double>()); }

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("twin_trainings gpt|digits DEVICE STEPS SEED\n", stderr), 2;
  try {
    const Training training{tl::Device(argv[2]), std::atoi(argv[3]),
                            static_cast<std::uint64_t>(std::atoll(argv[4]))};
    if (std::strcmp(argv[1], "gpt") == 0) return train_gpt(training), 0;
    if (std::strcmp(argv[1], "digits") == 0) return train_digits(training), 0;
    std::fprintf(stderr, "twin_trainings: there is no training %s\n", argv[1]);
  } catch (const tl::Error& error) {
    std::fprintf(stderr, "twin_trainings: %s\n", error.what());
  }
  return 2;
}
