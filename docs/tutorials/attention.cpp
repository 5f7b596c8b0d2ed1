#include <iostream>

#include <torchlight/nn.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main() {
  tl::manual_seed(0);
  // Sentences of four words, eight features each: (batch, words, features).
  tl::Tensor words = tl::randn({2, 4, 8});
  nn::MultiheadAttention attention(8, 2, {.batch_first = true});

  // A word sees itself and those before it.
  auto [output, weights] = attention(words, words, words, {.is_causal = true});
  std::cout << output.shape().str() << " " << weights.shape().str() << "\n";
  std::cout << (weights[0] > 0).str() << "\n";

  // The second sentence has three words only: true marks what is no word.
  tl::Tensor padding = tl::tensor({{false, false, false, false}, {false, false, false, true}});
  auto padded = attention(words, words, words, {.key_padding_mask = padding});
  std::cout << padded.weights.select(0, 1).sum(0)[3].item<double>() << "\n";
}
