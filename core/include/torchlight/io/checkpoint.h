#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <torchlight/state_dict.h>

namespace torchlight {
struct Generator;
}

#pragma GCC visibility push(default)
namespace torchlight {

/// What a checkpoint can hold: modules, optimizers, schedules, and whatever else gives its state away.
template <class T>
concept HasState = requires(T& part, const StateDict& dict) {
  { part.state_dict() } -> std::convertible_to<StateDict>;
  part.load_state_dict(dict);
};

/// The whole state of a training run in one file, so that a new process goes on bit for bit where an old one
/// stopped:
///
///   Checkpoint run;
///   run.add("model", model);
///   run.add("optimizer", optimizer);
///   run.add("schedule", schedule);
///   if (std::filesystem::exists(path)) run.load(path);
///   while (run.epoch < 10) {
///     loader.set_epoch(run.epoch);
///     for (auto [x, y] : loader) { …; ++run.step; }
///     schedule.step();
///     ++run.epoch;
///     run.save(path);
///   }
///
/// The state of default_generator(), from which dropout draws, is always in it. The parts must live as long as
/// the checkpoint.
class Checkpoint {
 public:
  Checkpoint();

  std::int64_t epoch = 0;
  std::int64_t step = 0;
  std::map<std::string, double> values;  ///< numbers of your own: the best loss so far
  StateDict tensors;                     ///< and tensors

  /// Error for a name that is taken, empty or contains a dot. Parts are restored from the last to the first:
  /// add an optimizer before its schedule, so that its learning rate is what it was.
  template <HasState T> void add(const std::string& name, T& part) {
    add_part({name, [&part] { return StateDict(part.state_dict()); },
              [&part](const StateDict& dict) { part.load_state_dict(dict); }});
  }
  void add(const std::string& name, Generator& generator);  ///< besides the default one

  /// Atomically, as torchlight::save does, to a .safetensors or .npz file whose tensors are named
  /// "model.0.weight", "optimizer.state.0.exp_avg", …
  void save(const std::string& path) const;

  /// Restores all of it. FileError where the file is no checkpoint, has other parts, or a part refuses its
  /// state; everything is then as it was.
  void load(const std::string& path);

 private:
  struct Part {
    std::string name;
    std::function<StateDict()> state;
    std::function<void(const StateDict&)> restore;
  };
  void add_part(Part part);

  std::vector<Part> parts_;
};

}  // namespace torchlight
#pragma GCC visibility pop
