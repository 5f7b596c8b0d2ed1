#include <torchlight/nn/module.h>

#include <algorithm>
#include <unordered_set>

#include <torchlight/autograd.h>

#include "nn/module_state.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

using Seen = std::unordered_set<const void*>;

void collect_into(std::vector<NamedTensor>& result, const Module& module, const std::string& prefix,
                  std::vector<NamedTensor> ModuleState::*member, Seen* seen) {
  const ModuleState& state = ModuleState::of(module);
  for (const auto& [name, tensor] : state.*member)
    if (!seen || seen->insert(&tensor.impl()).second) result.push_back({prefix + name, tensor});
  for (const auto& [name, child] : state.children)
    collect_into(result, *child, prefix + name + ".", member, seen);
}

std::vector<Tensor> without_names(const std::vector<NamedTensor>& named) {
  std::vector<Tensor> tensors;
  for (const NamedTensor& entry : named) tensors.push_back(entry.tensor);
  return tensors;
}

template <class Entries> bool contains(const Entries& entries, const std::string& name) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const auto& entry) { return entry.name == name; });
}

void check_new_name(const Module& module, const std::string& name) {
  const ModuleState& state = ModuleState::of(module);
  const auto complain = [&](const char* what) {
    throw Error(text(module.type_name(), ": can't register \"", name, "\": ", what));
  };
  if (name.empty()) complain("the name is empty");
  if (name.find('.') != std::string::npos) complain("a name has no dot, which separates modules");
  if (contains(state.parameters, name) || contains(state.buffers, name) ||
      contains(state.children, name))
    complain("the name is taken");
}

}  // namespace

std::vector<NamedTensor> collect(const Module& root, std::vector<NamedTensor> ModuleState::*member,
                                 bool once) {
  std::vector<NamedTensor> result;
  Seen seen;
  collect_into(result, root, "", member, once ? &seen : nullptr);
  return result;
}

Module::Module() : state_(std::make_shared<ModuleState>()) {}
Module::Module(const Module&) = default;
Module& Module::operator=(const Module&) = default;
Module::~Module() = default;

Tensor Module::forward(const Tensor&) {
  throw Error(type_name() +
              ": it has no forward(const Tensor&); override that, or call the one it has");
}

std::vector<Tensor> Module::parameters() const { return without_names(named_parameters()); }
std::vector<NamedTensor> Module::named_parameters() const {
  return collect(*this, &ModuleState::parameters, true);
}
std::vector<Tensor> Module::buffers() const { return without_names(named_buffers()); }
std::vector<NamedTensor> Module::named_buffers() const {
  return collect(*this, &ModuleState::buffers, true);
}
const std::vector<NamedModule>& Module::children() const { return state_->children; }

Module& Module::apply(const std::function<void(Module&)>& fn) {
  for (const NamedModule& child : state_->children) child.module->apply(fn);
  fn(*this);
  return *this;
}

Module& Module::train(bool on) {
  return apply([on](Module& module) { module.state_->training = on; });
}

bool Module::is_training() const { return state_->training; }

Module& Module::requires_grad_(bool on) {
  for (Tensor& parameter : parameters()) parameter.requires_grad_(on);
  return *this;
}

void Module::zero_grad() {
  for (Tensor& parameter : parameters()) parameter.zero_grad();
}

Module& Module::to(Device device) {
  for (auto& list : {parameters(), buffers()})
    for (Tensor tensor : list)
      if (tensor.device() != device) tensor.set_data(tensor.detach().to(device));
  return *this;
}

Module& Module::to(Dtype dtype) {
  if (!is_floating(dtype))
    throw Error(text(type_name(), ": can't convert a module to ", name_of(dtype),
                     "; parameters are floating-point numbers"));
  if (dtype != float32 && dtype != float64)
    for (const Tensor& parameter : parameters())
      if (parameter.requires_grad())
        throw Error(
            text(type_name(), ": can't convert to ", name_of(dtype),
                 " what is trained: gradients are float32 or float64; requires_grad_(false) first"));
  for (auto& list : {parameters(), buffers()})
    for (Tensor tensor : list)
      if (is_floating(tensor.dtype()) && tensor.dtype() != dtype)
        tensor.set_data(tensor.detach().to(dtype));
  return *this;
}

Tensor Module::register_parameter(const std::string& name, Tensor value) {
  if (!value.defined()) return value;
  check_new_name(*this, name);
  if (!value.is_leaf())
    throw Error(
        text(type_name(), ": can't register \"", name,
             "\": it is the result of an operation, and only leaves can be trained; detach() it"));
  value.requires_grad_();
  state_->parameters.push_back({name, value});
  return value;
}

Tensor Module::register_buffer(const std::string& name, Tensor value) {
  if (!value.defined()) return value;
  check_new_name(*this, name);
  state_->buffers.push_back({name, value});
  return value;
}

bool Module::contains(const Module& module, const ModuleState* state) {
  if (module.state_.get() == state) return true;
  return std::ranges::any_of(module.children(),
                             [&](const NamedModule& child) { return contains(*child.module, state); });
}

void Module::add_child(const std::string& name, std::shared_ptr<Module> module) {
  if (!module) throw Error(text(type_name(), ": can't register \"", name, "\": the module is null"));
  check_new_name(*this, name);
  if (contains(*module, state_.get()))
    throw Error(text(type_name(), ": can't register \"", name,
                     "\": it is, or has below it, the module that it would be registered in"));
  state_->children.push_back({name, std::move(module)});
}

}  // namespace torchlight::nn
