#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "output.h"

namespace command {

/// Shows how far a training run is: a bar on a terminal, a line for each epoch everywhere.
class Progress {
 public:
  Progress(Output& out, std::int64_t epochs, std::int64_t steps_per_epoch);

  void begin_step() { ++step_; }
  /// Its loss, the mean over its examples, and how many of those were answered rightly, if that can be said.
  void end_step(double loss, std::int64_t examples, std::optional<std::int64_t> right);
  void end_epoch();

  std::int64_t epoch() const { return epoch_; }         ///< from 1
  std::int64_t step_in_epoch() const { return step_; }  ///< the one begun last, from 1

 private:
  using Clock = std::chrono::steady_clock;

  std::string epoch_and_figures(const std::string& bar) const;
  std::string bar() const;
  double seconds_left() const;

  Output& out_;
  std::int64_t epochs_, steps_per_epoch_;
  std::int64_t epoch_ = 1, step_ = 0, examples_ = 0;
  std::optional<std::int64_t> right_ = {};
  double loss_sum_ = 0;
  Clock::time_point start_ = Clock::now(), epoch_start_ = start_, drawn_ = {};
};

}  // namespace command
