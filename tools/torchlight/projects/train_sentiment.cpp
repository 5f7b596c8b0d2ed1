// A classifier of texts: each word has a vector, a text the mean of its words' vectors, and a linear layer says of
// which class it is. Learns from a table that the user gives, with a column of texts and one of labels.
#include <algorithm>

#include "projects/fit.h"
#include "projects/report.h"
#include "projects/text_table.h"
#include "projects/words.h"
#include "text.h"

namespace command {
namespace {

namespace nn = tl::nn;
namespace F = tl::nn::functional;

constexpr std::int64_t vector_size = 64;
constexpr std::size_t most_words = 400;  // of a text; what comes later isn't read
constexpr std::size_t most_classes = 100;

/// Each different label is a class, in the order of their names.
std::vector<std::string> classes_of(const TextTable& table) {
  std::vector<std::string> names = table.second;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty())
      throw tl::FileError(tl::printable(table.path) + ": the label of row " + std::to_string(i + 1) +
                          " is empty");
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() < 2 || names.size() > most_classes)
    throw tl::FileError(tl::printable(table.path) + ": the number of different labels is " +
                        std::to_string(names.size()) + ", the first is \"" + tl::printable(names[0]) +
                        "\"; there must be 2 to 100. Is it the right column (--label)?");
  return names;
}

tl::Tensor labels_of(const TextTable& table, const std::vector<std::string>& classes) {
  std::vector<std::int64_t> labels;
  for (const std::string& label : table.second)
    labels.push_back(std::ranges::lower_bound(classes, label) - classes.begin());
  return tl::tensor(labels, {.device = "cpu"});
}

std::vector<std::string> chosen(const std::vector<std::string>& texts, const tl::Tensor& rows) {
  std::vector<std::string> result;
  for (const std::int64_t row : rows.to_vector<std::int64_t>())
    result.push_back(texts[static_cast<std::size_t>(row)]);
  return result;
}

struct Setup {
  explicit Setup(const TrainOptions& options)
      : device(device_of(options.device)),
        table(read_text_table(options.data, options.input_column, options.target_column)),
        classes(classes_of(table)),
        labels(labels_of(table, classes)),
        parts(tl::data::stratified_parts(labels, {0.8, 0.2}, options.seed)),
        vocabulary(chosen(table.first, parts[0]), 2) {
    if (parts[0].numel() == 0 || parts[1].numel() == 0)
      throw tl::FileError(tl::printable(table.path) + ": " + std::to_string(labels.numel()) +
                          " texts are too few to train with some and test with others");
    tl::check_writable(options.out);
  }

  /// (n, words); a text without words is one unknown word.
  tl::Tensor texts() const {
    std::vector<std::vector<std::int64_t>> lists;
    for (const std::string& text : table.first) {
      lists.push_back(vocabulary.numbers(text, most_words));
      if (lists.back().empty()) lists.back().push_back(Vocabulary::unknown);
    }
    return padded(lists);
  }

  tl::Device device;
  TextTable table;
  std::vector<std::string> classes;
  tl::Tensor labels;
  std::vector<tl::Tensor> parts;
  Vocabulary vocabulary;
};

/// Texts (n, words) of word numbers → scores (n, classes).
struct Classifier : nn::Module {
  Classifier(std::int64_t words, std::int64_t classes)
      : vectors(register_module(
            "vectors", nn::Embedding(words, vector_size, {.padding_idx = Vocabulary::padding}))),
        dropout(register_module("dropout", nn::Dropout(0.3))),
        output(register_module("output", nn::Linear(vector_size, classes))) {}

  tl::Tensor forward(const tl::Tensor& texts) override {
    const tl::Tensor is_word = (texts != Vocabulary::padding).unsqueeze(2);
    return output(dropout(F::masked_mean(vectors(texts), is_word, 1)));
  }

  nn::Embedding& vectors;
  nn::Dropout& dropout;
  nn::Linear& output;
};

}  // namespace

int train_sentiment(Output& out, const TrainOptions& options) {
  const Setup setup = prepare<Setup>(options);
  const tl::Tensor texts = setup.texts().to(setup.device), labels = setup.labels.to(setup.device);
  tl::manual_seed(options.seed);
  Classifier model(setup.vocabulary.size(), static_cast<std::int64_t>(setup.classes.size()));
  model.to(setup.device);
  out.line(format("sentiment: %lld texts to learn from, %lld held out, %lld different words; device %s",
                  static_cast<long long>(setup.parts[0].numel()),
                  static_cast<long long>(setup.parts[1].numel()),
                  static_cast<long long>(setup.vocabulary.size()), setup.device.name().c_str()));

  const tl::data::TensorDataset dataset(texts, labels);
  tl::data::DataLoader loader(tl::data::Subset(dataset, setup.parts[0]),
                              {.batch_size = options.batch, .shuffle = true, .seed = options.seed});
  const End end = fit(out, options, model, loader, [&](const auto& batch) {
    const auto& [words, wanted] = batch;
    const tl::Tensor scores = model(words);
    return Learned{F::cross_entropy(scores, wanted), wanted.size(0), count_right(scores, wanted)};
  });
  tl::StateDict state = model.state_dict();
  state.push_back({"vocabulary", setup.vocabulary.bytes()});
  return finish(out, options, end, state, [&] {
    const tl::no_grad guard;
    model.eval();
    const tl::Tensor test = setup.parts[1].to(setup.device);
    report_classes(out, model(texts.index_select(0, test)).argmax(1), labels.index_select(0, test),
                   setup.classes);
  });
}

}  // namespace command
