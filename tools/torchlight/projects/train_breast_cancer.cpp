// A multilayer perceptron that tells malignant from benign tumours by 30 measurements of cell nuclei.
#include "projects/data_file.h"
#include "projects/fit.h"
#include "projects/report.h"
#include "text.h"

namespace command {
namespace {

namespace nn = tl::nn;

constexpr std::int64_t features = 30, tumours = 2;

/// Measurements (n, 30) and labels (n): 0 malignant, 1 benign. The file's first line is a header.
struct Tumours {
  Tumours(const std::string& given, tl::Device device) {
    const std::string path = given.empty() ? own_data("breast_cancer.csv.gz") : given;
    const tl::Tensor table = tl::data::read_csv(path, {.skip_lines = 1, .device = "cpu"});
    if (table.size(1) != features + 1)
      throw tl::FileError(tl::printable(path) + ", line 2: it has " + std::to_string(table.size(1)) +
                          " columns; tumours have 30 measurements and a label");
    const tl::Tensor label = table.select(1, features);
    refuse_rows(label != 0 && label != 1, path, 2, "column 31: the label is not 0 or 1");
    measured = table.slice(1, 0, features).to(device);
    labels = label.to(tl::int64).to(device);
  }

  tl::Tensor measured, labels;
};

struct Setup {
  explicit Setup(const TrainOptions& options)
      : device(device_of(options.device)),
        data(options.data, device),
        parts(tl::data::stratified_parts(data.labels, {0.8, 0.2}, options.seed)) {
    if (parts[0].numel() == 0 || parts[1].numel() == 0)
      throw tl::FileError("these are too few tumours to train with some and test with others");
    tl::check_writable(options.out);
  }

  tl::Device device;
  Tumours data;
  std::vector<tl::Tensor> parts;
};

/// The measurements differ a thousandfold in size, so each is seen in deviations from its mean. Both are buffers
/// and are saved with the weights: what is asked later must be scaled by what was learned from.
struct Classifier : nn::Module {
  explicit Classifier(const tl::Tensor& training)
      : mean(register_buffer("mean", training.mean(0))),
        deviation(register_buffer("deviation", training.std(0) + 1e-6)) {}

  tl::Tensor mean, deviation;
  nn::Sequential& layers = register_module(
      "layers", nn::Sequential(nn::Linear(features, 32), nn::ReLU(), nn::Dropout(0.2),  //
                               nn::Linear(32, 16), nn::ReLU(), nn::Linear(16, tumours)));

  tl::Tensor forward(const tl::Tensor& x) override { return layers((x - mean) / deviation); }
};

}  // namespace

int train_breast_cancer(Output& out, const TrainOptions& options) {
  const Setup setup = prepare<Setup>(options);
  const Tumours& data = setup.data;
  const tl::Tensor training = setup.parts[0].to(setup.device), test = setup.parts[1].to(setup.device);
  tl::manual_seed(options.seed);
  Classifier model(data.measured.index_select(0, training));
  model.to(setup.device);
  out.line(format("breast-cancer: %lld tumours to learn from, %lld held out; device %s",
                  static_cast<long long>(training.numel()), static_cast<long long>(test.numel()),
                  setup.device.name().c_str()));

  const tl::data::TensorDataset dataset(data.measured, data.labels);
  tl::data::DataLoader loader(tl::data::Subset(dataset, training),
                              {.batch_size = options.batch, .shuffle = true, .seed = options.seed});
  const End end = fit(out, options, model, loader, [&](const auto& batch) {
    const auto& [measured, labels] = batch;
    const tl::Tensor scores = model(measured);
    return Learned{nn::functional::cross_entropy(scores, labels), labels.size(0),
                   count_right(scores, labels)};
  });
  return finish(out, options, end, model.state_dict(), [&] {
    const tl::no_grad guard;
    model.eval();
    const tl::Tensor answers = model(data.measured.index_select(0, test)).argmax(1);
    report_classes(out, answers, data.labels.index_select(0, test), {"malignant", "benign"});
  });
}

}  // namespace command
