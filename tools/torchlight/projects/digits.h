#pragma once

#include <string>

#include <torchlight/data.h>
#include <torchlight/nn.h>

#include "commands.h"

namespace command {

namespace tl = torchlight;

/// The handwritten digits: images (n, 1, 8, 8) of 0 to 1, labels (n) of 0 to 9.
struct Digits {
  tl::Tensor images, labels;
  std::string path;

  std::int64_t size() const { return labels.size(0); }
};
inline constexpr std::int64_t side = 8, classes = 10;

/// From `path`, or the file that belongs to this program. FileError where it isn't what it should be.
Digits load_digits(const std::string& path, tl::Device device);

/// Which digits are learned from and which are held out, 80 to 20 in each class.
struct Parts {
  tl::Tensor training, test;
};
Parts split_digits(const Digits& digits, std::uint64_t seed);

/// What a project that learns from digits starts with, checked.
struct DigitsSetup {
  explicit DigitsSetup(const TrainOptions& options);

  tl::Device device;
  Digits digits;
  Parts parts;
};

/// "0" to "9"
std::vector<std::string> digit_names();

/// Probabilities (n, 10) of the digits that `indices` names.
tl::Tensor answer(tl::nn::Module& model, const Digits& digits, const tl::Tensor& indices);

/// The network: two convolutions, pooling, and two linear layers.
tl::nn::Sequential make_model();

}  // namespace command
