#pragma once

#include <functional>

#include <torchlight/optim/optimizer.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

/// Sets the learning rate of each group of an optimizer as a function of the epoch (or of the step: of
/// whatever step() is called after). Building one sets the rate of epoch 0 and uses up no step:
///
///   optim::ExponentialLR schedule(optimizer, 0.5);   // lr 0.1
///   for (…) { train_epoch(); schedule.step(); }      // 0.1, 0.05, 0.025, …
///
/// Factors and rates are finite and not negative, lengths at least 1: Error otherwise. The optimizer must live
/// as long.
class LRScheduler {
 public:
  virtual ~LRScheduler() = default;

  void step();
  std::int64_t last_epoch() const { return last_epoch_; }

  StateDict state_dict() const;  ///< "last_epoch" and "base_lr.<group>"
  void load_state_dict(const StateDict& dict);

 protected:
  explicit LRScheduler(Optimizer& optimizer);
  /// The rate in `epoch` of a group that began with `base`.
  virtual double lr_at(double base, std::int64_t epoch) const = 0;
  void apply();  ///< to be called at the end of the constructor

 private:
  void move_to(std::int64_t epoch, std::vector<double> base_lrs);

  Optimizer& optimizer_;
  std::vector<double> base_lrs_;
  std::int64_t last_epoch_ = 0;
};

/// From the base down to eta_min along half a cosine in T_max steps, and up again after them.
class CosineAnnealingLR : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, std::int64_t T_max, double eta_min = 0);

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  std::int64_t T_max_;
  double eta_min_;
};

/// base · gamma^epoch
class ExponentialLR : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma);

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  double gamma_;
};

/// base · gamma^(epoch / step_size), rounded down
class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma = 0.1);

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  std::int64_t step_size_;
  double gamma_;
};

/// base · gamma^(how many of the milestones have been reached)
class MultiStepLR : public LRScheduler {
 public:
  /// Error unless the milestones are epochs of at least 0.
  MultiStepLR(Optimizer& optimizer, std::vector<std::int64_t> milestones, double gamma = 0.1);

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  std::vector<std::int64_t> milestones_;  // sorted
  double gamma_;
};

enum class Anneal { cosine, linear };

struct OneCycleOptions {
  double pct_start = 0.3;  ///< the share of the steps in which the rate rises, in (0, 1)
  Anneal anneal_strategy = Anneal::cosine;
  double div_factor = 25;         ///< the first rate is max_lr / div_factor
  double final_div_factor = 1e4;  ///< the last rate is the first / final_div_factor
};

/// Up from max_lr / div_factor to max_lr, then down far below where it began, in total_steps steps; the
/// base isn't used, and momentum stays as it is. The step after the last batch keeps the last rate; an Error
/// beyond it.
/// Source: Smith and Topin, arXiv:1708.07120.
class OneCycleLR : public LRScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, double max_lr, std::int64_t total_steps,
             OneCycleOptions options = {});

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  double max_lr_;
  std::int64_t total_steps_;
  OneCycleOptions options_;
};

/// base · factor(epoch)
class LambdaLR : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(std::int64_t)> factor);

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  std::function<double(std::int64_t)> factor_;
};

/// base · min(1, (epoch + 1) / steps): of `steps` steps the first has base / steps, the last has base.
class LinearWarmup : public LRScheduler {
 public:
  LinearWarmup(Optimizer& optimizer, std::int64_t steps);

 private:
  double lr_at(double base, std::int64_t epoch) const override;

  std::int64_t steps_;
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
