#include "exercise_case.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "command.h"

namespace twin_command {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Bound::Kind kind_of(const Type& type) {
  if (type.pointer) return Bound::Kind::array;
  if (!type.element) return Bound::Kind::other;
  return is_floating(*type.element) ? Bound::Kind::number : Bound::Kind::size;
}

/// The parameters of a kind, by their place.
std::vector<std::size_t> places(const Signature& signature, Bound::Kind kind, int constant) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
    const Type& type = signature.parameters[k].type;
    // A stream is a pointer to something that isn't known.
    const Bound::Kind its = type.pointer && !type.element ? Bound::Kind::other : kind_of(type);
    if (its == kind && (constant < 0 || type.constant == (constant == 1))) list.push_back(k);
  }
  return list;
}

bool same_names(const Signature& a, const std::vector<std::size_t>& in_a, const Signature& b,
                const std::vector<std::size_t>& in_b) {
  return std::all_of(in_a.begin(), in_a.end(), [&](std::size_t k) {
    return std::any_of(in_b.begin(), in_b.end(), [&](std::size_t other) {
      return a.parameters[k].name == b.parameters[other].name;
    });
  });
}

}  // namespace

std::vector<Bound> bind(const Exercise& exercise, const Signature& users) {
  const Signature asked = signature_of(exercise.declaration);
  if (asked.name != users.name || asked.parameters.size() != users.parameters.size()) return {};
  std::vector<Bound> bound(users.parameters.size());
  const auto pair = [&](Bound::Kind kind, int constant) {
    const std::vector<std::size_t> ours = places(asked, kind, constant),
                                   theirs = places(users, kind, constant);
    if (ours.size() != theirs.size()) return false;
    const bool by_name = same_names(asked, ours, users, theirs);
    for (std::size_t k = 0; k < ours.size(); ++k) {
      std::size_t from = ours[k];
      for (const std::size_t other : ours)
        if (by_name && asked.parameters[other].name == users.parameters[theirs[k]].name) from = other;
      bound[theirs[k]] = {users.parameters[theirs[k]].type, asked.parameters[from].name, kind};
    }
    return true;
  };
  const bool arrays =
      (pair(Bound::Kind::array, 1) && pair(Bound::Kind::array, 0)) || pair(Bound::Kind::array, -1);
  if (!arrays || !pair(Bound::Kind::size, -1) || !pair(Bound::Kind::number, -1) ||
      !pair(Bound::Kind::other, -1))
    return {};
  return bound;
}

std::vector<std::pair<std::string, std::string>> cases_of(const Exercise& exercise) {
  std::vector<std::pair<std::string, std::string>> cases;
  const std::vector<std::string> sizes = words_of(exercise.sizes);
  for (const std::string& one : sizes) cases.emplace_back(one, "random");
  for (const std::string& fill : words_of(exercise.fills))
    cases.emplace_back(sizes[sizes.size() / 2], fill);
  return cases;
}

Case::Case(const Exercise& exercise, const std::vector<Bound>& bound, const std::string& sizes,
           const std::string& fill, std::uint64_t seed)
    : exercise_(exercise),
      bound_(bound),
      name_(sizes + (fill == "random" ? "" : " " + fill)),
      fill_(fill) {
  const std::vector<std::string> fixed = words_of(exercise.fixed), values = split(sizes);
  std::vector<std::string> names = words_of(exercise.named);
  const auto is_fixed = [&](const std::string& name) {
    return std::any_of(fixed.begin(), fixed.end(),
                       [&](const std::string& word) { return word.starts_with(name + "="); });
  };
  if (names.empty())
    for (const Parameter& parameter : signature_of(exercise.declaration).parameters)
      if (kind_of(parameter.type) == Bound::Kind::size && !is_fixed(parameter.name))
        names.push_back(parameter.name);
  for (std::size_t k = 0; k < names.size(); ++k) numbers_[names[k]] = std::stod(values.at(k));
  for (const std::string& word : fixed)
    numbers_[word.substr(0, word.find('='))] = product(word.substr(word.find('=') + 1));
  std::mt19937_64 seeds(seed);
  const std::vector<std::string> arrays = words_of(exercise.arrays);
  for (int pass = 0; pass < 2; ++pass) {  // what is made of others comes last
    for (const std::string& word : arrays) {
      const std::size_t colon = word.find(':'), equals = word.find('=');
      const std::string name = word.substr(0, colon),
                        how = equals == word.npos ? "" : word.substr(equals + 1);
      const bool made_of_others = !how.empty() && how != "rand";
      if (made_of_others != (pass == 1)) continue;
      const auto user = std::find_if(bound.begin(), bound.end(), [&](const Bound& b) {
        return b.name == name && b.kind == Bound::Kind::array;
      });
      const Signature asked = signature_of(exercise.declaration);
      const auto ours = std::find_if(asked.parameters.begin(), asked.parameters.end(),
                                     [&](const Parameter& p) { return p.name == name; });
      const Shape shape =
          shape_of_text(word.substr(colon + 1, equals == word.npos ? word.npos : equals - colon - 1));
      Operand operand;
      operand.written = !ours->type.constant;
      const Element element = user->type.element.value_or(Element::f32);
      if (operand.written && how.empty())
        operand.array = poison(element, shape);
      else
        operand.array = filled(shape, element, how, seeds());
      operands_[name] = std::move(operand);
    }
  }
  for (auto& [name, operand] : operands_) {
    operand.at = bytes_;
    bytes_ += (operand.array.bytes.size() + 63) / 64 * 64;
  }
}

/// "rows*cols", "2".
double Case::product(const std::string& text) const {
  double value = 1;
  for (const std::string& factor : split(text, '*'))
    value *= numbers_.count(factor) ? numbers_.at(factor) : std::stod(factor);
  return value;
}

/// "rowsxcols" of the numbers at hand; "a-b" is how many places a kernel of b has in a.
Shape Case::shape_of_text(const std::string& text) const {
  Shape shape;
  // Names may hold an x: the longest name that fits counts.
  for (std::size_t at = 0; at < text.size();) {
    std::string best;
    for (const auto& [name, value] : numbers_)
      if (text.compare(at, name.size(), name) == 0 && name.size() > best.size()) best = name;
    if (!best.empty()) {
      at += best.size();
      std::int64_t extent = static_cast<std::int64_t>(numbers_.at(best));
      if (at < text.size() && text[at] == '-')
        extent -= static_cast<std::int64_t>(numbers_.at(text.substr(at + 1))) - 1, at = text.size();
      shape.push_back(extent);
    } else {
      shape.push_back(text[at] - '0');
      ++at;
    }
    if (at < text.size() && text[at] == 'x') ++at;
  }
  return shape;
}

Array Case::filled(const Shape& shape, Element element, const std::string& how,
                   std::uint64_t seed) const {
  Array array = random(element, shape, seed);
  if (fill_ != "random") {
    for (std::int64_t k = 0; k < array.count(); ++k) {
      const double value = array.at(k);
      array.set(k, fill_ == "zeros" ? 0 : fill_ == "equal" ? 0.5 : 1000 * value);
    }
  }
  if (how.empty() || how == "rand") return array;
  if (how[0] == '{') {
    const std::vector<std::string> numbers = split(how.substr(1, how.size() - 2));
    for (std::size_t k = 0; k < numbers.size(); ++k)
      array.set(static_cast<std::int64_t>(k), product(numbers[k]));
    return array;
  }
  // Of others, or of what would be here: "softmax(rand)".
  const Values values = evaluate(how, [&](const std::string& name) {
    return values_of(name == "rand" ? array : operands_.at(name).array);
  });
  for (std::int64_t k = 0; k < array.count(); ++k)
    array.set(k, values.value[static_cast<std::size_t>(k)]);
  return array;
}

nlohmann::ordered_json Case::plan(MemoryFile& data) const {
  nlohmann::ordered_json arguments = nlohmann::ordered_json::array();
  for (const Bound& one : bound_) {
    if (one.kind == Bound::Kind::array) {
      const Operand& operand = operands_.at(one.name);
      if (!operand.array.bytes.empty())
        data.write(operand.array.bytes.data(), operand.array.bytes.size(), operand.at);
      arguments.push_back(
          {{"at", operand.at}, {"bytes", operand.array.bytes.size()}, {"written", operand.written}});
    } else if (one.kind == Bound::Kind::other) {
      arguments.push_back({{"bits", 0}});  // the default stream
    } else {
      Array number(*one.type.element, {1});
      number.set(0, numbers_.at(one.name));
      std::uint64_t bits = 0;
      std::copy(number.bytes.begin(), number.bytes.end(), reinterpret_cast<char*>(&bits));
      arguments.push_back({{"bits", bits}});
    }
  }
  return {{"host_pointers", exercise_.host_pointers}, {"arguments", arguments}, {"data", data.path()}};
}

std::vector<Comparison> Case::judge(const MemoryFile& data, double tolerance) const {
  std::vector<Comparison> verdicts;
  for (const std::string& text : split(exercise_.right, ';')) {
    const std::string name = trimmed(text.substr(0, text.find('=')));
    // What is right comes of our own copies: the other process may have changed its inputs.
    const Values right = evaluate(text.substr(text.find('=') + 1), [&](const std::string& other) {
      if (const auto number = numbers_.find(other); number != numbers_.end())
        return Values{{}, {number->second}, {std::fabs(number->second)}};
      return values_of(operands_.at(other).array);
    });
    Array got = operands_.at(name).array;
    if (!got.bytes.empty()) data.read(got.bytes.data(), got.bytes.size(), operands_.at(name).at);
    verdicts.push_back(compare(name, got, right, tolerance));
  }
  return verdicts;
}

}  // namespace twin_command
