#pragma once

#include <cstdint>

#include <torchlight/torchlight.h>

namespace tl = torchlight;

/// Models and batches are made on the host and moved, so that nothing but the steps is the device's matter.
struct Training {
  tl::Device device;
  int steps;
  std::uint64_t seed;

  /// Prints the loss of a step.
  void tell(const tl::Tensor& loss) const;
};

/// A transformer of two blocks, on rows of letters that go up by steps of their own.
void train_gpt(const Training& training);
/// The convolutional network of `torchlight train digits`, on its digits.
void train_digits(const Training& training);
