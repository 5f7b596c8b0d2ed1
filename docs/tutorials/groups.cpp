#include <iostream>

#include <torchlight/nn.h>
#include <torchlight/optim.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main() {
  nn::Linear body(4, 4), head(4, 2);

  // Groups have options of their own: here only the weights decay, and the head learns faster.
  tl::optim::SGD optimizer({
      {{body.weight}, {.lr = 0.01, .momentum = 0.9, .weight_decay = 1e-4}},
      {{body.bias, head.weight, head.bias}, {.lr = 0.1, .momentum = 0.9}},
  });
  std::cout << optimizer.lr(0) << " " << optimizer.lr(1) << "\n";

  tl::Tensor loss = head(body(tl::ones({3, 4})).relu()).square().mean();
  loss.backward();
  // Gradients that are too long are shortened before the step.
  nn::utils::clip_grad_norm_(body.parameters(), 1.0);
  optimizer.step();
  std::cout << optimizer.state_dict().size() << " entries to save\n";
}
