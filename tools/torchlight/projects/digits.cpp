#include "projects/digits.h"

#include <torchlight/autograd.h>
#include <torchlight/io.h>

#include "projects/data_file.h"
#include "projects/setup.h"

namespace command {
namespace {

namespace nn = tl::nn;

void check(const tl::Tensor& pixels, const tl::Tensor& labels, const std::string& path) {
  refuse_rows((pixels < 0 || pixels > 16).any(1), path, 1, "a pixel is not in 0 to 16");
  refuse_rows(labels < 0 || labels > 9 || labels != labels.floor(), path, 1,
              "column 65: the label is not a digit from 0 to 9");
}

}  // namespace

Digits load_digits(const std::string& path, tl::Device device) {
  Digits digits;
  digits.path = path.empty() ? own_data("digits.csv.gz") : path;
  const tl::Tensor table = tl::data::read_csv(digits.path, {.device = "cpu"});
  if (table.size(1) != side * side + 1)
    throw tl::FileError(tl::printable(digits.path) + ", line 1: it has " +
                        std::to_string(table.size(1)) + " columns; digits have 64 pixels and a label");
  const tl::Tensor pixels = table.slice(1, 0, side * side), labels = table.select(1, side * side);
  check(pixels, labels, digits.path);
  digits.images = (pixels.reshape({-1, 1, side, side}) / 16).to(device);
  digits.labels = labels.to(tl::int64).to(device);
  return digits;
}

Parts split_digits(const Digits& digits, std::uint64_t seed) {
  const auto parts = tl::data::stratified_parts(digits.labels, {0.8, 0.2}, seed);
  if (parts[0].numel() == 0 || parts[1].numel() == 0)
    throw tl::FileError(tl::printable(digits.path) + ": " + std::to_string(digits.size()) +
                        " digits are too few to train with some and test with others");
  return {parts[0], parts[1]};
}

DigitsSetup::DigitsSetup(const TrainOptions& options)
    : device(device_of(options.device)),
      digits(load_digits(options.data, device)),
      parts(split_digits(digits, options.seed)) {
  tl::check_writable(options.out);
}

std::vector<std::string> digit_names() {
  std::vector<std::string> names;
  for (std::int64_t digit = 0; digit < classes; ++digit) names.push_back(std::to_string(digit));
  return names;
}

tl::Tensor answer(nn::Module& model, const Digits& digits, const tl::Tensor& indices) {
  const tl::no_grad guard;
  model.eval();
  return model(digits.images.index_select(0, indices.to(digits.images.device()))).softmax(1);
}

nn::Sequential make_model() {
  return nn::Sequential(nn::Conv2d(1, 32, 3, {.padding = 1}), nn::ReLU(),           //
                        nn::Conv2d(32, 64, 3, {.padding = 1}), nn::ReLU(),          //
                        nn::MaxPool2d(2), nn::Dropout(0.25), nn::Flatten(),         //
                        nn::Linear(64 * (side / 2) * (side / 2), 128), nn::ReLU(),  //
                        nn::Dropout(0.25), nn::Linear(128, classes));
}

}  // namespace command
