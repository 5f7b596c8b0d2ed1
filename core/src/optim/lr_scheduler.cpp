#include <torchlight/optim/lr_scheduler.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "optim/numbers.h"
#include "support/text.h"

namespace torchlight::optim {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

std::int64_t positive(const char* what, std::int64_t value) {
  if (value < 1) throw Error(text(what, " is ", value, "; it must be at least 1"));
  return value;
}

double factor(const char* what, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    throw Error(text(what, " is ", value, "; it must be at least 0 and finite"));
  return value;
}

}  // namespace

LRScheduler::LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {
  for (std::size_t i = 0; i < optimizer.group_count(); ++i) base_lrs_.push_back(optimizer.lr(i));
}

void LRScheduler::apply() { move_to(last_epoch_, base_lrs_); }

void LRScheduler::step() { move_to(last_epoch_ + 1, base_lrs_); }

// All rates are known before anything changes: lr_at may throw.
void LRScheduler::move_to(std::int64_t epoch, std::vector<double> base_lrs) {
  std::vector<double> rates;
  for (const double base : base_lrs) rates.push_back(lr_at(base, epoch));
  last_epoch_ = epoch;
  base_lrs_ = std::move(base_lrs);
  for (std::size_t i = 0; i < rates.size(); ++i) optimizer_.set_lr(rates[i], i);
}

StateDict LRScheduler::state_dict() const {
  StateDict dict{{"last_epoch", whole_number(last_epoch_)}};
  for (std::size_t i = 0; i < base_lrs_.size(); ++i)
    dict.push_back({text("base_lr.", i), real_number(base_lrs_[i])});
  return dict;
}

void LRScheduler::load_state_dict(const StateDict& dict) {
  DictReader reader("scheduler: load_state_dict", dict);
  const std::int64_t last_epoch = reader.count("last_epoch");
  std::vector<double> base_lrs;
  for (std::size_t i = 0; i < base_lrs_.size(); ++i) {
    const std::string name = text("base_lr.", i);
    base_lrs.push_back(factor(text("scheduler: load_state_dict: ", name).c_str(), reader.number(name)));
  }
  reader.finish();
  move_to(last_epoch, std::move(base_lrs));
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, std::int64_t T_max, double eta_min)
    : LRScheduler(optimizer),
      T_max_(positive("CosineAnnealingLR: T_max", T_max)),
      eta_min_(factor("CosineAnnealingLR: eta_min", eta_min)) {
  apply();
}
double CosineAnnealingLR::lr_at(double base, std::int64_t epoch) const {
  const double phase = std::numbers::pi * as_double(epoch) / as_double(T_max_);
  return eta_min_ + (base - eta_min_) * ((1 + std::cos(phase)) / 2);
}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : LRScheduler(optimizer), gamma_(factor("ExponentialLR: gamma", gamma)) {
  apply();
}
double ExponentialLR::lr_at(double base, std::int64_t epoch) const {
  return base * std::pow(gamma_, as_double(epoch));
}

StepLR::StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma)
    : LRScheduler(optimizer),
      step_size_(positive("StepLR: step_size", step_size)),
      gamma_(factor("StepLR: gamma", gamma)) {
  apply();
}
double StepLR::lr_at(double base, std::int64_t epoch) const {
  return base * std::pow(gamma_, as_double(epoch / step_size_));
}

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<std::int64_t> milestones, double gamma)
    : LRScheduler(optimizer),
      milestones_(std::move(milestones)),
      gamma_(factor("MultiStepLR: gamma", gamma)) {
  std::sort(milestones_.begin(), milestones_.end());
  if (!milestones_.empty() && milestones_.front() < 0)
    throw Error(text("MultiStepLR: milestone ", milestones_.front(), " is before the start"));
  apply();
}
double MultiStepLR::lr_at(double base, std::int64_t epoch) const {
  const auto beyond = std::upper_bound(milestones_.begin(), milestones_.end(), epoch);
  return base * std::pow(gamma_, static_cast<double>(beyond - milestones_.begin()));
}

OneCycleLR::OneCycleLR(Optimizer& optimizer, double max_lr, std::int64_t total_steps,
                       OneCycleOptions options)
    : LRScheduler(optimizer),
      max_lr_(factor("OneCycleLR: max_lr", max_lr)),
      total_steps_(positive("OneCycleLR: total_steps", total_steps)),
      options_(options) {
  if (!(options.pct_start > 0 && options.pct_start < 1))
    throw Error(text("OneCycleLR: pct_start is ", options.pct_start, "; it must be between 0 and 1"));
  if (!(options.div_factor > 0 && options.final_div_factor > 0))
    throw Error("OneCycleLR: div_factor and final_div_factor must be positive");
  apply();
}
double OneCycleLR::lr_at(double, std::int64_t epoch) const {
  // One step more than there are rates: a loop that steps after each of its batches takes it at its end.
  if (epoch > total_steps_)
    throw Error(text("OneCycleLR: step ", epoch, " is beyond the total_steps of ", total_steps_));
  const double first = max_lr_ / options_.div_factor, last = first / options_.final_div_factor;
  const double step = as_double(epoch), end = as_double(total_steps_ - 1);
  // It may lie before the first step, which is then already on the way down.
  const double top = options_.pct_start * as_double(total_steps_) - 1;
  const bool rises = step <= top;
  const double from = rises ? first : max_lr_, to = rises ? max_lr_ : last;
  const double length = rises ? top : end - top;
  const double share = length > 0 ? std::min((rises ? step : step - top) / length, 1.0) : 1;
  if (options_.anneal_strategy == Anneal::linear) return from + (to - from) * share;
  return to + (from - to) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(std::int64_t)> factor)
    : LRScheduler(optimizer), factor_(std::move(factor)) {
  if (!factor_) throw Error("LambdaLR: the function is empty");
  apply();
}
double LambdaLR::lr_at(double base, std::int64_t epoch) const { return base * factor_(epoch); }

LinearWarmup::LinearWarmup(Optimizer& optimizer, std::int64_t steps)
    : LRScheduler(optimizer), steps_(positive("LinearWarmup: steps", steps)) {
  apply();
}
double LinearWarmup::lr_at(double base, std::int64_t epoch) const {
  return base * std::min(1.0, as_double(epoch + 1) / as_double(steps_));
}

}  // namespace torchlight::optim
