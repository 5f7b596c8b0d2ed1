#include <torchlight/torchlight.h>

#include "projects/digits.h"
#include "projects/report.h"
#include "projects/setup.h"
#include "text.h"

namespace command {
namespace {

tl::Tensor chosen(const Digits& digits, const PredictOptions& options) {
  if (options.indices.empty())
    return split_digits(digits, options.seed).test.slice(0, 0, options.count);
  for (const std::int64_t index : options.indices)
    if (index < 0 || index >= digits.size())
      throw BadInput(format("there is no digit %lld; %s has 0 to %lld", static_cast<long long>(index),
                            tl::printable(digits.path).c_str(),
                            static_cast<long long>(digits.size() - 1)));
  return tl::tensor(options.indices, {.device = "cpu"});
}

/// All that the user named, loaded and checked.
struct Setup {
  explicit Setup(const PredictOptions& options)
      : device(device_of(options.device)),
        digits(load_digits(options.data, device)),
        indices(chosen(digits, options)) {
    model.to(device);
    const tl::StateDict weights = tl::load(options.weights, device);
    try {
      model.load_state_dict(weights);
    } catch (const tl::Error& error) {
      throw BadInput(tl::printable(options.weights) +
                     ": these are not the weights of the digits network: " + error.what());
    }
    for (const auto& [name, tensor] : weights)
      if (!tensor.isfinite().all().item<bool>())
        throw BadInput(tl::printable(options.weights) + ": " + tl::printable(name) +
                       " holds what is no number; train again");
  }

  tl::Device device;
  Digits digits;
  tl::Tensor indices;
  tl::nn::Sequential model = make_model();
};

}  // namespace

int predict(Output& out, const PredictOptions& options) {
  Setup setup = prepare<Setup>(options);
  const tl::Tensor probabilities = answer(setup.model, setup.digits, setup.indices).to("cpu");
  const auto indices = setup.indices.to_vector<std::int64_t>();
  if (options.indices.empty() && setup.indices.numel() < options.count)
    out.line(format("there are no more than %lld held-out digits",
                    static_cast<long long>(setup.indices.numel())));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const tl::Tensor row = probabilities[static_cast<std::int64_t>(i)];
    show_image(out, setup.digits.images[indices[i]][0]);
    out.line(format("digit %lld: the answer is %lld (%.1f %%), the label %lld",
                    static_cast<long long>(indices[i]), row.argmax().item<std::int64_t>(),
                    100 * row.max().item<double>(),
                    setup.digits.labels[indices[i]].item<std::int64_t>()));
  }
  return done;
}

}  // namespace command
