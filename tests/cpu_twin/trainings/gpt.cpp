#include "trainings.h"

#include <vector>

#include <torchlight/nn.h>
#include <torchlight/optim.h>

namespace nn = tl::nn;
using tl::Tensor;

namespace {

constexpr std::int64_t letters = 16, context = 16, features = 32, heads = 4, batch = 8;

struct Block : nn::Module {
  nn::LayerNorm& norm1 = register_module("norm1", nn::LayerNorm(features));
  nn::MultiheadAttention& attention =
      register_module("attention", nn::MultiheadAttention(features, heads, {.batch_first = true}));
  nn::LayerNorm& norm2 = register_module("norm2", nn::LayerNorm(features));
  nn::Linear& wide = register_module("wide", nn::Linear(features, 4 * features));
  nn::Linear& narrow = register_module("narrow", nn::Linear(4 * features, features));

  Tensor forward(const Tensor& x) override {
    const Tensor seen = norm1(x);
    const Tensor y = x + attention(seen, seen, seen, {.need_weights = false, .is_causal = true}).output;
    return y + narrow(gelu(wide(norm2(y))));
  }
};

struct Gpt : nn::Module {
  nn::Embedding& tokens = register_module("tokens", nn::Embedding(letters, features));
  nn::Embedding& positions = register_module("positions", nn::Embedding(context, features));
  Block& first = register_module("first", Block());
  Block& second = register_module("second", Block());
  nn::LayerNorm& norm = register_module("norm", nn::LayerNorm(features));
  nn::Linear& output = register_module("output", nn::Linear(features, letters));

  /// Letters (batch, context) → scores of the next ones (batch · context, letters).
  Tensor forward(const Tensor& text) override {
    const Tensor at = tl::arange(context, {.dtype = tl::int64}).to(text.device());
    const Tensor x = second(first(tokens(text) + positions(at)));
    return output(norm(x)).reshape({-1, letters});
  }
};

/// Row `row` of a step goes up by a step of its own, which has to be read off what came before.
std::int64_t letter(std::int64_t step, std::int64_t row, std::int64_t place) {
  const std::int64_t number = step * batch + row;
  return (number * 7 + place * (1 + number % 5)) % letters;
}

/// (batch, context) letters from place `from` on, as one row.
Tensor text_of(std::int64_t step, std::int64_t from) {
  std::vector<std::int64_t> text;
  for (std::int64_t row = 0; row < batch; ++row)
    for (std::int64_t place = 0; place < context; ++place)
      text.push_back(letter(step, row, from + place));
  return tl::tensor(text);
}

}  // namespace

void train_gpt(const Training& training) {
  tl::manual_seed(training.seed);
  Gpt model;
  model.to(training.device);
  tl::optim::AdamW optimizer(model.parameters(), {.lr = 3e-3});
  for (int step = 0; step < training.steps; ++step) {
    const Tensor text = text_of(step, 0).reshape({batch, context}).to(training.device);
    const Tensor next = text_of(step, 1).to(training.device);
    const Tensor loss = nn::functional::cross_entropy(model(text), next);
    training.tell(loss);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}
