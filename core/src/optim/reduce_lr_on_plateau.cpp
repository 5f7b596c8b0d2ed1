#include <torchlight/optim/reduce_lr_on_plateau.h>

#include <algorithm>
#include <limits>

#include "optim/numbers.h"
#include "support/text.h"

namespace torchlight::optim {

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, Options options)
    : optimizer_(optimizer), options_(options) {
  if (!(options.factor >= 0 && options.factor < 1))
    throw Error(text("ReduceLROnPlateau: factor is ", options.factor, "; it must be in [0, 1)"));
  if (options.patience < 0 || options.cooldown < 0)
    throw Error("ReduceLROnPlateau: patience and cooldown can't be negative");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  best_ = options.mode == Options::Mode::min ? infinity : -infinity;
}

bool ReduceLROnPlateau::is_better(double metric) const {
  const bool smaller = options_.mode == Options::Mode::min;
  if (options_.threshold_mode == Options::ThresholdMode::abs)
    return smaller ? metric < best_ - options_.threshold : metric > best_ + options_.threshold;
  return smaller ? metric < best_ * (1 - options_.threshold)
                 : metric > best_ * (1 + options_.threshold);
}

void ReduceLROnPlateau::step(double metric) {
  if (is_better(metric)) {
    best_ = metric;
    bad_epochs_ = 0;
  } else {
    ++bad_epochs_;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    bad_epochs_ = 0;
  }
  if (bad_epochs_ <= options_.patience) return;
  for (std::size_t i = 0; i < optimizer_.group_count(); ++i) {
    const double old = optimizer_.lr(i), reduced = std::max(old * options_.factor, options_.min_lr);
    if (old - reduced > options_.eps) optimizer_.set_lr(reduced, i);
  }
  cooldown_left_ = options_.cooldown;
  bad_epochs_ = 0;
}

StateDict ReduceLROnPlateau::state_dict() const {
  return {{"best", real_number(best_)},
          {"num_bad_epochs", whole_number(bad_epochs_)},
          {"cooldown_counter", whole_number(cooldown_left_)}};
}

void ReduceLROnPlateau::load_state_dict(const StateDict& dict) {
  DictReader reader("ReduceLROnPlateau: load_state_dict", dict);
  const double best = reader.number("best");
  const std::int64_t bad_epochs = reader.count("num_bad_epochs");
  const std::int64_t cooldown_left = reader.count("cooldown_counter");
  reader.finish();
  best_ = best;
  bad_epochs_ = bad_epochs;
  cooldown_left_ = cooldown_left;
}

}  // namespace torchlight::optim
