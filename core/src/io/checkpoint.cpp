#include <torchlight/io/checkpoint.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include <torchlight/io.h>
#include <torchlight/ops.h>
#include <torchlight/random.h>

#include "io/reading.h"
#include "support/text.h"

namespace torchlight {
namespace {

constexpr std::int64_t version = 1;
// Parts of every checkpoint; that of a generator has two numbers.
constexpr const char *own = "checkpoint", *own_values = "values", *own_tensors = "tensors";

Tensor whole_number(std::int64_t value) { return tensor(value, {.dtype = int64, .device = "cpu"}); }
Tensor real_number(double value) { return tensor(value, {.dtype = float64, .device = "cpu"}); }

using Parts = std::unordered_map<std::string, StateDict>;

// "model.0.weight" is the tensor "0.weight" of the part "model".
Parts split(const StateDict& dict) {
  Parts parts;
  for (const auto& [name, tensor] : dict) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos) throw Error(text("it is no checkpoint: ", in_quotes(name), " has no part"));
    parts[name.substr(0, dot)].push_back({name.substr(dot + 1), tensor});
  }
  return parts;
}

const Tensor& find(const StateDict& dict, const std::string& name, Dtype dtype) {
  for (const NamedTensor& entry : dict)
    if (entry.name == name && entry.tensor.dtype() == dtype && entry.tensor.numel() == 1)
      return entry.tensor;
  throw Error(text("there is no ", name_of(dtype), " number ", in_quotes(name)));
}

std::int64_t whole(const StateDict& dict, const std::string& name) {
  return find(dict, name, int64).item<std::int64_t>();
}

StateDict state_of(const Generator& generator) {
  return {{"seed", whole_number(std::bit_cast<std::int64_t>(generator.seed))},
          {"offset", whole_number(std::bit_cast<std::int64_t>(generator.offset))}};
}

Generator generator_of(const StateDict& dict) {
  return {std::bit_cast<std::uint64_t>(whole(dict, "seed")),
          std::bit_cast<std::uint64_t>(whole(dict, "offset"))};
}

std::map<std::string, double> values_of(const StateDict& dict) {
  std::map<std::string, double> values;
  for (const auto& [name, tensor] : dict) values[name] = find(dict, name, float64).item<double>();
  return values;
}

// A state that later changes of the part leave alone: a module's shares storage with it.
StateDict copied(StateDict dict) {
  for (NamedTensor& entry : dict) entry.tensor = entry.tensor.clone();
  return dict;
}

void check_version(const Parts& parts) {
  const auto it = parts.find(own);
  if (it == parts.end()) throw Error("it is no checkpoint; load() reads state dicts");
  const std::int64_t found = whole(it->second, "version");
  if (found != version)
    throw Error(text("the checkpoint's version is ", found, "; known is ", version));
}

// From the last to the first; where one refuses its state, all get back the one that they had.
template <class PartList> void restore(const PartList& parts, const Parts& read) {
  for (const auto& [name, dict] : read)
    if (std::none_of(parts.begin(), parts.end(), [&name = name](auto& p) { return p.name == name; }))
      throw Error(text("the checkpoint has a part ", in_quotes(name), " that was not added"));
  std::vector<StateDict> before;
  for (const auto& part : parts) before.push_back(copied(part.state()));
  std::size_t left = parts.size();
  try {
    for (; left > 0; --left) {
      const auto it = read.find(parts[left - 1].name);  // a part without any state has left nothing
      parts[left - 1].restore(it == read.end() ? StateDict() : it->second);
    }
  } catch (...) {  // a part may run functions of the user's, as LambdaLR does
    for (std::size_t i = parts.size(); i >= left; --i) parts[i - 1].restore(before[i - 1]);
    try {
      throw;
    } catch (const Error& error) {
      throw Error(text("part ", in_quotes(parts[left - 1].name), ": ", error.what()));
    }
  }
}

}  // namespace

Checkpoint::Checkpoint() { add("generator", default_generator()); }

void Checkpoint::add(const std::string& name, Generator& generator) {
  add_part({name, [&generator] { return state_of(generator); },
            [&generator](const StateDict& dict) { generator = generator_of(dict); }});
}

void Checkpoint::add_part(Part part) {
  const auto has_name = [&](const Part& other) { return other.name == part.name; };
  const bool is_own = part.name == own || part.name == own_values || part.name == own_tensors;
  if (part.name.empty() || part.name.find('.') != part.name.npos)
    throw Error(text("checkpoint: a part can't be called ", in_quotes(part.name),
                     ": a name is not empty and has no dot"));
  if (is_own || std::any_of(parts_.begin(), parts_.end(), has_name))
    throw Error(text("checkpoint: there is a part ", in_quotes(part.name), " already"));
  parts_.push_back(std::move(part));
}

void Checkpoint::save(const std::string& path) const {
  StateDict all{{text(own, ".version"), whole_number(version)},
                {text(own, ".epoch"), whole_number(epoch)},
                {text(own, ".step"), whole_number(step)}};
  const auto append = [&](const std::string& part, const StateDict& dict) {
    for (const auto& [name, tensor] : dict) all.push_back({part + "." + name, tensor});
  };
  for (const auto& [name, value] : values) append(own_values, {{name, real_number(value)}});
  append(own_tensors, tensors);
  for (const Part& part : parts_) append(part.name, part.state());
  torchlight::save(all, path);
}

void Checkpoint::load(const std::string& path) {
  io::reading(path, [&] {
    Parts read = split(torchlight::load(path, "cpu"));
    check_version(read);
    const StateDict numbers = read[own];
    const auto new_epoch = whole(numbers, "epoch"), new_step = whole(numbers, "step");
    auto new_values = values_of(read[own_values]);
    StateDict new_tensors = read[own_tensors];
    for (const char* name : {own, own_values, own_tensors}) read.erase(name);

    restore(parts_, read);
    epoch = new_epoch;
    step = new_step;
    values.swap(new_values);
    tensors.swap(new_tensors);
  });
}

}  // namespace torchlight
