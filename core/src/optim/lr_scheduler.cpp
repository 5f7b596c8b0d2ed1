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

void LRScheduler::apply() {
  for (std::size_t i = 0; i < base_lrs_.size(); ++i)
    optimizer_.set_lr(lr_at(base_lrs_[i], last_epoch_), i);
}

void LRScheduler::step() {
  ++last_epoch_;
  apply();
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
  last_epoch_ = last_epoch;
  base_lrs_ = base_lrs;
  apply();
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, std::int64_t T_max, double eta_min)
    : LRScheduler(optimizer),
      T_max_(positive("CosineAnnealingLR: T_max", T_max)),
      eta_min_(factor("CosineAnnealingLR: eta_min", eta_min)) {
  apply();
}
double CosineAnnealingLR::lr_at(double base, std::int64_t epoch) const {
  const double phase = std::numbers::pi * as_double(epoch) / as_double(T_max_);
  return eta_min_ + (base - eta_min_) * (1 + std::cos(phase)) / 2;
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

LinearWarmup::LinearWarmup(Optimizer& optimizer, std::int64_t steps)
    : LRScheduler(optimizer), steps_(positive("LinearWarmup: steps", steps)) {
  apply();
}
double LinearWarmup::lr_at(double base, std::int64_t epoch) const {
  return base * std::min(1.0, as_double(epoch + 1) / as_double(steps_));
}

}  // namespace torchlight::optim
