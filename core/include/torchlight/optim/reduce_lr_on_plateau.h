#pragma once

#include <torchlight/optim/optimizer.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

struct ReduceLROnPlateauOptions {
  enum class Mode { min, max };           ///< is a smaller or a larger metric the better one?
  enum class ThresholdMode { rel, abs };  ///< is threshold a share of the best or a difference?
  Mode mode = Mode::min;
  double factor = 0.1;         ///< in [0, 1)
  std::int64_t patience = 10;  ///< epochs without improvement that are put up with
  double threshold = 1e-4;     ///< what counts as an improvement
  ThresholdMode threshold_mode = ThresholdMode::rel;
  std::int64_t cooldown = 0;  ///< epochs after a reduction in which nothing is counted
  double min_lr = 0;
  double eps = 1e-8;  ///< a smaller change than this isn't made
};

/// Multiplies the rate of every group by `factor` when a metric, of validation say, has stopped getting
/// better for more than `patience` epochs. A NaN is no improvement. The optimizer must live as long.
class ReduceLROnPlateau {
 public:
  using Options = ReduceLROnPlateauOptions;
  explicit ReduceLROnPlateau(Optimizer& optimizer, Options options = {});

  void step(double metric);

  StateDict state_dict() const;  ///< "best", "num_bad_epochs", "cooldown_counter"
  void load_state_dict(const StateDict& dict);

 private:
  bool is_better(double metric) const;

  Optimizer& optimizer_;
  Options options_;
  double best_;
  std::int64_t bad_epochs_ = 0;
  std::int64_t cooldown_left_ = 0;
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
