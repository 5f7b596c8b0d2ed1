// A small convolutional network that reads handwritten digits.
#include "projects/digits.h"
#include "projects/fit.h"
#include "projects/report.h"
#include "projects/vary.h"
#include "text.h"

namespace command {
int train_digits(Output& out, const TrainOptions& options) {
  const DigitsSetup setup = prepare<DigitsSetup>(options);
  const Digits& digits = setup.digits;
  const Parts& parts = setup.parts;
  tl::manual_seed(options.seed);
  tl::nn::Sequential model = make_model();
  model.to(setup.device);
  out.line(format("digits: %lld to learn from, %lld held out; device %s",
                  static_cast<long long>(parts.training.numel()),
                  static_cast<long long>(parts.test.numel()), setup.device.name().c_str()));

  const tl::data::TensorDataset dataset(digits.images, digits.labels);
  tl::data::DataLoader loader(tl::data::Subset(dataset, parts.training),
                              {.batch_size = options.batch, .shuffle = true, .seed = options.seed});
  const End end = fit(out, options, model, loader, [&](const auto& batch) {
    const auto& [images, labels] = batch;
    const tl::Tensor scores = model(vary(images));
    return Learned{tl::nn::functional::cross_entropy(scores, labels), labels.size(0),
                   count_right(scores, labels)};
  });
  return finish(out, options, end, model.state_dict(), [&] {
    const tl::Tensor answers = answer(model, digits, parts.test).argmax(1);
    report_classes(out, answers, digits.labels.index_select(0, parts.test.to(setup.device)),
                   digit_names());
  });
}

}  // namespace command
