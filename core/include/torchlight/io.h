#pragma once

#include <optional>
#include <string>

#include <torchlight/state_dict.h>

#pragma GCC visibility push(default)
namespace torchlight {

/// Writes tensors to a .safetensors file. Whoever reads `path`, also after a crash or a full disk, finds
/// the old file or the whole new one: a temporary file in the same directory is renamed onto it. A link
/// is followed. FileError where that fails (nothing stays behind); Error for a name given twice.
///
///   save(model.state_dict(), "model.safetensors");
///   model.load_state_dict(load("model.safetensors"));
void save(const StateDict& tensors, const std::string& path);

/// Reads a .safetensors file, in the order of its header, to `device` (default: the default device).
/// FileError, with the place, for anything that the format doesn't allow: nothing of the file is trusted.
StateDict load(const std::string& path, std::optional<Device> device = {});

/// FileError now, if save(…, path) couldn't write there later. Leaves what is there as it is.
void check_writable(const std::string& path);

/// Keeps the best state of a training run in a file: writes it when a metric falls below every earlier
/// one. NaN and infinity are never better.
class BestKeeper {
 public:
  explicit BestKeeper(std::string path) : path_(std::move(path)) {}

  /// Whether `metric` was the best so far, and `state` therefore saved.
  bool update(double metric, const StateDict& state);
  std::optional<double> best() const { return best_; }

 private:
  std::string path_;
  std::optional<double> best_;
};

}  // namespace torchlight
#pragma GCC visibility pop
