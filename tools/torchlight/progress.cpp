#include "progress.h"

#include "text.h"

namespace command {
namespace {

constexpr std::int64_t bar_width = 24;
constexpr std::chrono::milliseconds redraw_interval(50);

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Progress::Progress(Output& out, std::int64_t epochs, std::int64_t steps_per_epoch)
    : out_(out), epochs_(epochs), steps_per_epoch_(steps_per_epoch) {}

void Progress::end_step(double loss, std::int64_t examples, std::optional<std::int64_t> right) {
  if (right) right_ = right_.value_or(0) + *right;
  examples_ += examples;
  loss_sum_ += loss * static_cast<double>(examples);
  const Clock::time_point now = Clock::now();
  if (!out_.is_terminal() || now - drawn_ < redraw_interval) return;
  drawn_ = now;
  out_.progress(epoch_and_figures(bar()) + format("  %.0f s left", seconds_left()));
}

void Progress::end_epoch() {
  const Clock::time_point now = Clock::now();
  out_.line(epoch_and_figures("") + format("  %.1f s", seconds(now - epoch_start_)));
  epoch_start_ = now;
  ++epoch_;
  step_ = examples_ = 0;
  right_.reset();
  loss_sum_ = 0;
}

std::string Progress::epoch_and_figures(const std::string& bar) const {
  const auto count = static_cast<double>(examples_);
  const std::string epochs = std::to_string(epochs_);
  const std::string text =
      format("epoch %*lld/%s%s  loss %.4f", static_cast<int>(epochs.size()),
             static_cast<long long>(epoch_), epochs.c_str(), bar.c_str(), loss_sum_ / count);
  return right_ ? text + format("  accuracy %5.2f %%", 100 * static_cast<double>(*right_) / count)
                : text;
}

std::string Progress::bar() const {
  const auto full = static_cast<std::size_t>(bar_width * step_ / steps_per_epoch_);
  return " [" + std::string(full, '=') + std::string(bar_width - full, ' ') + "]";
}

double Progress::seconds_left() const {
  const auto done = static_cast<double>((epoch_ - 1) * steps_per_epoch_ + step_);
  const auto all = static_cast<double>(epochs_ * steps_per_epoch_);
  return seconds(Clock::now() - start_) * (all - done) / done;
}

}  // namespace command
