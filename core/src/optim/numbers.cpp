#include "optim/numbers.h"

#include <algorithm>
#include <cmath>

#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::optim {

Tensor whole_number(std::int64_t value) { return tensor(value, {.dtype = int64, .device = "cpu"}); }
Tensor real_number(double value) { return tensor(value, {.dtype = float64, .device = "cpu"}); }

DictReader::DictReader(std::string what, const StateDict& dict) : what_(std::move(what)) {
  for (const auto& [name, tensor] : dict) {
    if (!tensor.defined()) throw Error(text(what_, ": \"", name, "\" is an undefined tensor"));
    if (!left_.emplace(name, &tensor).second) throw Error(text(what_, ": duplicate name ", name));
  }
}

const Tensor* DictReader::take(const std::string& name) {
  const auto it = left_.find(name);
  if (it == left_.end()) return nullptr;
  const Tensor* tensor = it->second;
  left_.erase(it);
  return tensor;
}

const Tensor& DictReader::need_number(const std::string& name) {
  const Tensor* tensor = take(name);
  if (!tensor) throw Error(text(what_, ": \"", name, "\" is missing"));
  if (tensor->numel() != 1)
    throw Error(text(what_, ": \"", name, "\" is ", tensor->shape().str(), ", not one number"));
  return *tensor;
}

double DictReader::number(const std::string& name) { return need_number(name).item<double>(); }
std::int64_t DictReader::count(const std::string& name) { return count(name, need_number(name)); }

std::int64_t DictReader::count(const std::string& name, const Tensor& value) const {
  constexpr double most = 0x1p53;  // no training runs that long, and each step more is still a number
  const double number = value.numel() == 1 ? value.item<double>() : -1;
  if (!(number >= 0 && number <= most && number == std::floor(number)))
    throw Error(text(what_, ": \"", name, "\" is ",
                     value.numel() == 1 ? text(number) : value.shape().str(), ", not a count"));
  return static_cast<std::int64_t>(number);
}

Tensor DictReader::fitting(const std::string& name, const Tensor& value, const Tensor& like) const {
  if (value.shape() != like.shape())
    throw Error(text(what_, ": \"", name, "\" is ", value.shape().str(), ", the parameter ",
                     like.shape().str()));
  return value.detach().to(like.dtype()).to(like.device()).clone();
}

void DictReader::finish() const {
  if (left_.empty()) return;
  const auto first = std::min_element(left_.begin(), left_.end(),
                                      [](const auto& a, const auto& b) { return a.first < b.first; });
  throw Error(text(what_, ": \"", first->first, "\" is unexpected",
                   left_.size() > 1 ? text(", and ", left_.size() - 1, " more") : ""));
}

}  // namespace torchlight::optim
