#include "reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace torchlight::test {
namespace {

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

/// The names that stand before ".in." in a file.
std::set<std::string> case_names(const StateDict& file) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : file)
    if (const auto at = name.find(".in."); at != std::string::npos) names.insert(name.substr(0, at));
  return names;
}

}  // namespace

ReferenceCase::ReferenceCase(const StateDict& file, const std::string& name, Dtype dtype)
    : dtype_(dtype) {
  for (const auto& [entry, tensor] : file)
    if (starts_with(entry, name + ".")) entries_[entry.substr(name.size() + 1)] = tensor;
}

Tensor ReferenceCase::in(const std::string& name) {
  if (leaves_.contains(name)) return leaves_[name];
  const Tensor given = entries_.at("in." + name);
  if (!is_floating(given.dtype())) return given;
  return leaves_[name] = given.to(dtype_).clone().requires_grad_();
}

void ReferenceCase::prepare(nn::Module& module) {
  StateDict parameters;
  for (const auto& [entry, tensor] : entries_)
    if (starts_with(entry, "param.")) parameters.push_back({entry.substr(6), tensor});
  module.to(dtype_);
  module.load_state_dict(parameters);
  for (const auto& [name, parameter] : module.named_parameters()) leaves_[name] = parameter;
}

std::string ReferenceCase::difference(const std::string& entry, const Tensor& got, double rtol) const {
  const auto found = entries_.find(entry);
  if (found == entries_.end()) return entry + " is not in the file; ";
  const Tensor& wanted = found->second;
  if (!got.defined()) return entry + " is undefined; ";
  if (got.shape() != wanted.shape())
    return entry + " has shape " + got.shape().str() + ", not " + wanted.shape().str() + "; ";
  const std::vector<double> g = got.to_vector<double>(), w = wanted.to_vector<double>();
  double largest = 0;
  for (const double value : w) largest = std::max(largest, std::abs(value));
  const double atol = dtype_ == float64 ? 1e-13 : rtol * largest;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (!(std::abs(g[i] - w[i]) <= atol + rtol * std::abs(w[i])))
      return entry + "[" + std::to_string(i) + "] is " + std::to_string(g[i]) + ", not " +
             std::to_string(w[i]) + "; ";
  return "";
}

std::string ReferenceCase::differences(const StateDict& outputs) {
  std::string faults;
  Tensor loss;
  std::set<std::string> wanted, given;
  for (const auto& [entry, tensor] : entries_)
    if (starts_with(entry, "out.")) wanted.insert(entry.substr(4));
  for (const auto& [name, tensor] : outputs) {
    given.insert(name);
    faults += difference("out." + name, tensor, 1e-5);
    if (!entries_.contains("seed." + name) || !tensor.requires_grad()) continue;
    const Tensor part = (tensor * entries_.at("seed." + name).to(dtype_)).sum();
    loss = loss.defined() ? loss + part : part;
  }
  if (wanted != given) faults += "the outputs have other names; ";
  if (loss.defined()) loss.backward();
  for (const auto& [entry, tensor] : entries_)
    if (starts_with(entry, "grad.")) {
      const auto leaf = leaves_.find(entry.substr(5));
      faults += leaf == leaves_.end() ? entry + " is of nothing here; "
                                      : difference(entry, leaf->second.grad(), 1e-4);
    }
  return faults;
}

StateDict reference_file(const std::string& family) {
  return load(TORCHLIGHT_REFERENCE "/" + family + ".safetensors");
}

std::string reference_differences(const StateDict& file, const std::string& name,
                                  const ReferenceRun& run) {
  std::string faults;
  for (const Dtype dtype : {float64, float32}) {
    ReferenceCase c(file, name, dtype);
    const std::string found = c.differences(run(c));
    if (!found.empty()) faults += std::string(name_of(dtype)) + ": " + found;
  }
  return faults;
}

void check_reference(const std::string& family, const std::map<std::string, ReferenceRun>& runs) {
  const StateDict file = reference_file(family);
  std::set<std::string> names;
  for (const auto& [name, run] : runs) {
    names.insert(name);
    const std::string& which = name;  // clang 14 captures no binding
    CAPTURE(which);
    CHECK(reference_differences(file, name, run) == "");
  }
  CHECK(names == case_names(file));
}

}  // namespace torchlight::test
