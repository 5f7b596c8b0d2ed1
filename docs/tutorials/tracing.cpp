#include <filesystem>
#include <iostream>

#include <torchlight/nn.h>
#include <torchlight/torchlight.h>
#include <torchlight/trace.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main() {
  tl::manual_seed(0);
  nn::Sequential model(nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 2), nn::Softmax(1));
  model.eval();

  tl::Tensor x = tl::randn({3, 4});
  tl::Tape tape = tl::trace([&](const tl::Tensor& in) { return model(in); }, x);
  for (const auto& [op, times] : tape.count_ops()) std::cout << op << " " << times << "\n";

  // Replay computes the same on other inputs, with the weights that the model then has.
  tl::Tensor other = tl::randn({3, 4});
  tl::no_grad guard;
  model.parameters()[0].mul_(2);
  std::cout << std::boolalpha << (tape.replay(other) == model(other)).all().item<bool>() << "\n";

  const auto folder = std::filesystem::temp_directory_path();
  tape.save_chrome_trace(folder / "torchlight-trace.json");  // for ui.perfetto.dev
  tape.save_graphviz(folder / "torchlight-trace.dot");       // dot -Tsvg torchlight-trace.dot
}
