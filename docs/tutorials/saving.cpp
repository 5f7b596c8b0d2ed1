#include <filesystem>
#include <iostream>

#include <torchlight/io.h>
#include <torchlight/nn.h>
#include <torchlight/optim.h>
#include <torchlight/torchlight.h>

namespace tl = torchlight;
namespace nn = torchlight::nn;

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "torchlight-saving";
  std::filesystem::create_directories(folder);
  const std::string weights = folder / "model.safetensors", run_file = folder / "run.safetensors";

  nn::Linear model(3, 2);
  tl::save(model.state_dict(), weights);

  nn::Linear again(3, 2);
  again.load_state_dict(tl::load(weights));
  std::cout << std::boolalpha << (again.weight == model.weight).all().item<bool>() << "\n";

  // A file that doesn't fit is an error, and the model stays as it was.
  try {
    nn::Linear(3, 5).load_state_dict(tl::load(weights));
  } catch (const tl::Error& error) {
    std::cout << error.what() << "\n";
  }

  // The whole state of a training run: weights, optimizer, epoch, random numbers.
  tl::optim::Adam optimizer(model.parameters());
  tl::Checkpoint run;
  run.add("model", model);
  run.add("optimizer", optimizer);
  run.epoch = 3;
  run.save(run_file);

  run.epoch = 0;
  run.load(run_file);
  std::cout << "goes on after epoch " << run.epoch << "\n";
  std::filesystem::remove_all(folder);
}
