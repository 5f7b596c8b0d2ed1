#include <algorithm>
#include <unordered_map>

#include <torchlight/autograd.h>

#include "nn/module_state.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

using ByName = std::unordered_map<std::string, Tensor>;

constexpr std::size_t most_strangers = 20;

ByName index_by_name(const StateDict& dict) {
  ByName by_name;
  for (const auto& [name, tensor] : dict) {
    if (!tensor.defined()) throw Error(text("load_state_dict: \"", name, "\" is an undefined tensor"));
    if (!by_name.emplace(name, tensor).second)
      throw Error(text("load_state_dict: duplicate name ", name));
  }
  return by_name;
}

// What stands in the way of loading, one phrase for each kind; empty if nothing does.
std::string differences(const StateDict& own, const StateDict& given, const ByName& given_by_name,
                        bool strict) {
  const ByName own_by_name = index_by_name(own);
  std::string missing, unexpected, shapes;
  std::size_t strangers = 0;  // a file may have any number of them
  for (const auto& [name, tensor] : own) {
    const auto it = given_by_name.find(name);
    if (it == given_by_name.end())
      missing += text(missing.empty() ? "missing: " : ", ", name);
    else if (it->second.shape() != tensor.shape())
      shapes += text(shapes.empty() ? "wrong shape: " : ", ", name, " is ", tensor.shape().str(),
                     " here and ", it->second.shape().str(), " there");
  }
  for (const auto& [name, tensor] : given)
    if (!own_by_name.contains(name) && ++strangers <= most_strangers)
      unexpected += text(unexpected.empty() ? "unexpected: " : ", ", excerpt(name, 100));
  if (strangers > most_strangers) unexpected += text(", and ", strangers - most_strangers, " more");
  if (!strict) missing = unexpected = "";
  std::string all;
  for (const std::string& part : {missing, unexpected, shapes})
    if (!part.empty()) all += (all.empty() ? "" : "; ") + part;
  return all;
}

// All names, tied ones included, as other libraries expect them.
StateDict entries(const Module& module) {
  StateDict dict = collect(module, &ModuleState::parameters, false);
  const StateDict buffers = collect(module, &ModuleState::buffers, false);
  dict.insert(dict.end(), buffers.begin(), buffers.end());
  return dict;
}

}  // namespace

StateDict Module::state_dict() const {
  StateDict dict = entries(*this);
  for (NamedTensor& entry : dict) entry.tensor = entry.tensor.detach();
  return dict;
}

void Module::load_state_dict(const StateDict& dict, LoadOptions options) {
  StateDict own = entries(*this);
  const ByName given = index_by_name(dict);
  const std::string problems = differences(own, dict, given, options.strict);
  if (!problems.empty()) throw Error(text("load_state_dict: ", type_name(), ": ", problems));

  // Converted first, so that whatever may fail has failed before anything changes.
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (auto& [name, tensor] : own)
    if (const auto it = given.find(name); it != given.end())
      copies.emplace_back(tensor, it->second.detach().to(tensor.dtype()).to(tensor.device()));
  const no_grad guard;
  for (auto& [target, source] : copies) target.copy_(source);
}

}  // namespace torchlight::nn
