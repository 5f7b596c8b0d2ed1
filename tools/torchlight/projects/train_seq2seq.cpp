// Sequence to sequence: a GRU reads a sentence word by word, another one writes its translation, and attention
// lets each written word look at the words that were read. Learns from a table of pairs that the user gives.
#include "projects/fit.h"
#include "projects/text_table.h"
#include "projects/words.h"
#include "text.h"

namespace command {
namespace {

namespace nn = tl::nn;
namespace F = tl::nn::functional;

constexpr std::int64_t hidden = 128;
constexpr std::size_t most_words = 50;  // of a sentence; what comes later is cut off

/// Sentences (n, words) of word numbers, and how many words each has.
struct Sentences {
  Sentences(const std::vector<std::string>& texts, const Vocabulary& vocabulary, bool framed) {
    std::vector<std::vector<std::int64_t>> lists;
    std::vector<std::int64_t> counts;
    for (const std::string& text : texts) {
      auto& list = lists.emplace_back(vocabulary.numbers(text, most_words));
      if (framed) list.insert(list.begin(), Vocabulary::begin);
      list.push_back(Vocabulary::end);
      counts.push_back(static_cast<std::int64_t>(list.size()));
    }
    words = padded(lists);
    lengths = tl::tensor(counts, {.device = "cpu"});
  }

  tl::Tensor words, lengths;
};

struct Setup {
  explicit Setup(const TrainOptions& options)
      : device(device_of(options.device)),
        table(read_text_table(options.data, options.input_column, options.target_column)),
        source_words(table.first, 1),
        target_words(table.second, 1),
        source(table.first, source_words, false),
        target(table.second, target_words, true),
        parts(tl::data::random_parts(source.words.size(0), {0.9, 0.1}, options.seed)) {
    if (parts[0].numel() == 0 || parts[1].numel() == 0)
      throw tl::FileError(tl::printable(table.path) + ": " + std::to_string(table.first.size()) +
                          " pairs are too few to train with some and test with others");
    tl::check_writable(options.out);
  }

  tl::Device device;
  TextTable table;
  Vocabulary source_words, target_words;
  Sentences source, target;
  std::vector<tl::Tensor> parts;
};

/// What was read of sentences (n, words): each word's state (n, words, hidden), the last one (1, n, hidden), and
/// which words are there (n, 1, words).
struct Memory {
  tl::Tensor words, last, is_word;
};

struct Written {
  tl::Tensor scores;  ///< (n, words, vocabulary)
  tl::Tensor state;   ///< (1, n, hidden)
};

struct Translator : nn::Module {
  Translator(std::int64_t source_words, std::int64_t target_words)
      : read_vectors(register_module("read_vectors", embedding(source_words))),
        write_vectors(register_module("write_vectors", embedding(target_words))),
        reader(register_module("reader", nn::GRU(hidden, hidden, {.batch_first = true}))),
        writer(register_module("writer", nn::GRU(hidden, hidden, {.batch_first = true}))),
        joiner(register_module("joiner", nn::Linear(2 * hidden, hidden))),
        output(register_module("output", nn::Linear(hidden, target_words))) {}

  Memory read(const tl::Tensor& source, const tl::Tensor& lengths) {
    const auto [states, last] = reader(dropout(read_vectors(source)), {}, lengths);
    return {states, last, (source != Vocabulary::padding).unsqueeze(1)};
  }

  /// The scores of what comes after each of these words (n, words), from `state` on.
  Written write(const Memory& memory, const tl::Tensor& words, const tl::Tensor& state) {
    const auto [states, last] = writer(dropout(write_vectors(words)), state);
    // Luong et al., Effective approaches to attention-based neural machine translation (2015).
    const tl::Tensor looked_at = F::scaled_dot_product_attention(states, memory.words, memory.words,
                                                                 {.attn_mask = memory.is_word});
    return {output(dropout(joiner(tl::cat({states, looked_at}, 2)).tanh())), last};
  }

  /// For each sentence the likeliest next word, again and again until the end: (n, words).
  tl::Tensor translate(const tl::Tensor& source, const tl::Tensor& lengths) {
    const Memory memory = read(source, lengths);
    const tl::Options whole{.dtype = tl::int64, .device = source.device()};
    tl::Tensor word = tl::full({source.size(0), 1}, Vocabulary::begin, whole);
    tl::Tensor ended =
        tl::zeros({source.size(0), 1}, {.dtype = tl::boolean, .device = source.device()});
    tl::Tensor state = memory.last;
    std::vector<tl::Tensor> words;
    while (words.size() <= most_words && !ended.all().item<bool>()) {
      const Written next = write(memory, word, state);
      state = next.state;
      word = next.scores.argmax(2).masked_fill(ended, Vocabulary::padding);
      ended = tl::logical_or(ended, word == Vocabulary::end);
      words.push_back(word);
    }
    return tl::cat(words, 1);
  }

  nn::Embedding &read_vectors, &write_vectors;
  nn::GRU &reader, &writer;
  nn::Linear &joiner, &output;
  nn::Dropout& dropout = register_module("dropout", nn::Dropout(0.1));

 private:
  static nn::Embedding embedding(std::int64_t words) {
    return nn::Embedding(words, hidden, {.padding_idx = Vocabulary::padding});
  }
};

/// The words of a row (words) up to the end.
std::string text_of(const tl::Tensor& row, const Vocabulary& vocabulary) {
  std::string text;
  for (const std::int64_t number : row.to_vector<std::int64_t>()) {
    if (number == Vocabulary::end) break;
    if (number > Vocabulary::end) text += (text.empty() ? "" : " ") + vocabulary.word(number);
  }
  return text;
}

/// Translates the held-out sentences: how many are right word for word, and the first ones.
void report(Output& out, Translator& model, const Setup& setup) {
  constexpr std::int64_t together = 256, shown = 5;
  const tl::no_grad guard;
  model.eval();
  const tl::Tensor& test = setup.parts[1];
  std::int64_t right = 0;
  for (const tl::Tensor& rows : test.split(together)) {
    const auto take = [&](const tl::Tensor& x) { return x.index_select(0, rows).to(setup.device); };
    const tl::Tensor answers =
        model.translate(take(setup.source.words), take(setup.source.lengths)).to("cpu");
    for (std::int64_t i = 0; i < rows.numel(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i].item<std::int64_t>());
      const std::string answer = text_of(answers[i], setup.target_words);
      const std::string wanted =
          text_of(setup.target.words[rows[i].item<std::int64_t>()], setup.target_words);
      right += answer == wanted;
      if (i < shown && rows[0].item<std::int64_t>() == test[0].item<std::int64_t>())
        out.line("  " + setup.table.first[row] + " -> " + answer +
                 (answer == wanted ? "" : " (wanted: " + wanted + ")"));
    }
  }
  out.line(format("test: %.2f %% of %lld sentences are right word for word",
                  100 * static_cast<double>(right) / static_cast<double>(test.numel()),
                  static_cast<long long>(test.numel())));
}

}  // namespace

int train_seq2seq(Output& out, const TrainOptions& options) {
  const Setup setup = prepare<Setup>(options);
  tl::manual_seed(options.seed);
  Translator model(setup.source_words.size(), setup.target_words.size());
  model.to(setup.device);
  out.line(format(
      "seq2seq: %lld pairs to learn from, %lld held out, %lld and %lld different words; device %s",
      static_cast<long long>(setup.parts[0].numel()), static_cast<long long>(setup.parts[1].numel()),
      static_cast<long long>(setup.source_words.size()),
      static_cast<long long>(setup.target_words.size()), setup.device.name().c_str()));

  const tl::data::TensorDataset dataset(setup.source.words.to(setup.device),
                                        setup.source.lengths.to(setup.device),
                                        setup.target.words.to(setup.device));
  tl::data::DataLoader loader(tl::data::Subset(dataset, setup.parts[0]),
                              {.batch_size = options.batch, .shuffle = true, .seed = options.seed});
  const End end = fit(out, options, model, loader, [&](const auto& batch) {
    const auto& [source, lengths, target] = batch;
    const Memory memory = model.read(source, lengths);
    // Each word is to be told from those before it.
    const tl::Tensor before = target.slice(1, 0, -1), wanted = target.slice(1, 1).flatten();
    const tl::Tensor scores = model.write(memory, before, memory.last).scores.flatten(0, 1);
    const tl::Tensor counts = wanted != Vocabulary::padding;
    const tl::Tensor right = tl::logical_and(scores.argmax(1) == wanted, counts);
    return Learned{F::cross_entropy(scores, wanted, {.ignore_index = Vocabulary::padding}),
                   counts.sum().template item<std::int64_t>(),
                   right.sum().template item<std::int64_t>()};
  });
  tl::StateDict state = model.state_dict();
  state.push_back({"source_vocabulary", setup.source_words.bytes()});
  state.push_back({"target_vocabulary", setup.target_words.bytes()});
  return finish(out, options, end, state, [&] { report(out, model, setup); });
}

}  // namespace command
