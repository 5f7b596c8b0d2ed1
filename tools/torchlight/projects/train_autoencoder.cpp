// A class-conditioned autoencoder: it squeezes a digit's image into a few numbers, and paints it again from
// those and from which digit it is. Given the numbers of an average image, it paints that digit.
#include "projects/digits.h"
#include "projects/fit.h"
#include "projects/report.h"
#include "text.h"

namespace command {
namespace {

namespace nn = tl::nn;
namespace F = tl::nn::functional;

constexpr std::int64_t pixels = side * side, code_size = 8, width = 128;

/// Images (n, 64) → codes (n, 8) → images (n, 64), both ways beside the digit's class.
struct Autoencoder : nn::Module {
  nn::Sequential& encoder =
      register_module("encoder", nn::Sequential(nn::Linear(pixels + classes, width), nn::ReLU(),  //
                                                nn::Linear(width, code_size)));
  nn::Sequential& decoder =
      register_module("decoder", nn::Sequential(nn::Linear(code_size + classes, width), nn::ReLU(),  //
                                                nn::Linear(width, pixels), nn::Sigmoid()));

  tl::Tensor encode(const tl::Tensor& images, const tl::Tensor& labels) {
    return encoder(beside_class(images, labels));
  }
  tl::Tensor decode(const tl::Tensor& codes, const tl::Tensor& labels) {
    return decoder(beside_class(codes, labels));
  }

 private:
  static tl::Tensor beside_class(const tl::Tensor& x, const tl::Tensor& labels) {
    return tl::cat({x, F::one_hot(labels, classes).to(x.dtype())}, 1);
  }
};

/// The mean of the rows of each class: (classes, columns). A class without rows has 0.
tl::Tensor class_means(const tl::Tensor& rows, const tl::Tensor& labels) {
  const tl::Tensor members = F::one_hot(labels, classes).to(rows.dtype());
  return members.t().matmul(rows) / members.sum(0).clamp(1, {}).unsqueeze(1);
}

/// How well unseen images are painted, beside painting each as the mean of its class; and a picture of each digit.
void report(Output& out, Autoencoder& model, const Digits& digits, const Parts& parts) {
  const tl::no_grad guard;
  model.eval();
  const auto take = [&](const tl::Tensor& part) {
    const tl::Tensor rows = part.to(digits.labels.device());
    return std::pair(digits.images.index_select(0, rows).flatten(1),
                     digits.labels.index_select(0, rows));
  };
  const auto [training, training_labels] = take(parts.training);
  const auto [test, test_labels] = take(parts.test);

  const tl::Tensor painted = model.decode(model.encode(test, test_labels), test_labels);
  const tl::Tensor plain = class_means(training, training_labels).index_select(0, test_labels);
  const double error = F::mse_loss(painted, test).item<double>();
  const double plain_error = F::mse_loss(plain, test).item<double>();
  out.line(format("test error: %.5f a pixel (squared), %.1f %% of the class mean's %.5f", error,
                  100 * error / plain_error, plain_error));

  const tl::Tensor every = tl::arange(classes, {.dtype = tl::int64, .device = test.device()});
  const tl::Tensor codes = class_means(model.encode(training, training_labels), training_labels);
  const tl::Tensor pictures = model.decode(codes, every).reshape({classes, side, side}).to("cpu");
  for (std::int64_t digit = 0; digit < classes; ++digit) {
    out.line(format("what it takes for a %lld:", static_cast<long long>(digit)));
    show_image(out, pictures[digit]);
  }
}

}  // namespace

int train_autoencoder(Output& out, const TrainOptions& options) {
  const DigitsSetup setup = prepare<DigitsSetup>(options);
  tl::manual_seed(options.seed);
  Autoencoder model;
  model.to(setup.device);
  out.line(
      format("autoencoder: %lld digits to learn from, %lld held out, %lld numbers for each of %lld "
             "pixels; device %s",
             static_cast<long long>(setup.parts.training.numel()),
             static_cast<long long>(setup.parts.test.numel()), static_cast<long long>(code_size),
             static_cast<long long>(pixels), setup.device.name().c_str()));

  const tl::data::TensorDataset dataset(setup.digits.images.flatten(1), setup.digits.labels);
  tl::data::DataLoader loader(tl::data::Subset(dataset, setup.parts.training),
                              {.batch_size = options.batch, .shuffle = true, .seed = options.seed});
  const End end = fit(out, options, model, loader, [&](const auto& batch) {
    const auto& [images, labels] = batch;
    const tl::Tensor painted = model.decode(model.encode(images, labels), labels);
    return Learned{F::mse_loss(painted, images), images.size(0)};
  });
  return finish(out, options, end, model.state_dict(),
                [&] { report(out, model, setup.digits, setup.parts); });
}

}  // namespace command
