#include "launch_text.h"

#include <cctype>
#include <charconv>

#include "command.h"
#include "type.h"

namespace twin_command {
namespace {

bool is_name(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

std::uint32_t whole(const std::string& text, const char* what) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadInput("\"" + text + "\" is no number for " + what);
  return value;
}

/// 256, (16,16), {16,16}, dim3(16,16,1).
twin::Dim dim_of(std::string text, const char* what) {
  if (text.starts_with("dim3")) text = trimmed(text.substr(4));
  if (!text.empty() && (text[0] == '(' || text[0] == '{')) text = text.substr(1, text.size() - 2);
  const std::vector<std::string> parts = split(text);
  if (parts.empty() || parts.size() > 3)
    throw BadInput("\"" + text + "\" is no " + what + ": it is a number, or (x,y,z)");
  twin::Dim dim;
  dim.x = whole(parts[0], what);
  if (parts.size() > 1) dim.y = whole(parts[1], what);
  if (parts.size() > 2) dim.z = whole(parts[2], what);
  return dim;
}

Argument argument_of(const std::string& text) {
  Argument argument;
  argument.text = text;
  const std::size_t equals = text.find('=');
  if (equals != text.npos) {
    argument.kind = Argument::Kind::array;
    argument.name = trimmed(text.substr(0, equals));
    argument.made = trimmed(text.substr(equals + 1));
    if (!is_name(argument.name)) throw BadInput("\"" + argument.name + "\" is no name for an array");
    if (argument.made.empty()) throw BadInput("\"" + text + "\" says no array");
  } else if (text == "null" || text == "NULL" || text == "nullptr") {
    argument.kind = Argument::Kind::null;
  } else if (is_name(text) && text != "true" && text != "false" && text != "inf" && text != "nan") {
    argument.kind = Argument::Kind::array;
    argument.name = text;
  }
  return argument;
}

}  // namespace

LaunchText parse_launch(const std::string& text) {
  const std::string usage =
      "\"" + text + "\" is no launch like \"kernel<<<grid,block>>>(arguments)\": ";
  const std::size_t open = text.find("<<<"), close = text.find(">>>");
  if (open == text.npos || close == text.npos || close < open)
    throw BadInput(usage + "<<<…>>> is missing");
  LaunchText launch;
  launch.kernel = trimmed(text.substr(0, open));
  if (launch.kernel.empty()) throw BadInput(usage + "there is no name");
  const std::vector<std::string> manner = split(text.substr(open + 3, close - open - 3));
  if (manner.size() < 2 || manner.size() > 4)
    throw BadInput(usage +
                   "between <<< and >>> stand the grid, the block, and maybe bytes of shared memory");
  launch.grid = dim_of(manner[0], "grid");
  launch.block = dim_of(manner[1], "block");
  if (manner.size() > 2) launch.shared = whole(manner[2], "bytes of shared memory");
  std::string rest = trimmed(text.substr(close + 3));
  if (!rest.empty() && rest.back() == ';') rest = trimmed(rest.substr(0, rest.size() - 1));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')')
    throw BadInput(usage + "(arguments) are missing");
  for (const std::string& part : split(rest.substr(1, rest.size() - 2)))
    launch.arguments.push_back(argument_of(part));
  return launch;
}

Made make_array(const Argument& argument, std::optional<Element> usual) {
  if (argument.made.ends_with(".npy")) return {load_array(argument.made), true};
  const std::size_t open = argument.made.find('(');
  const std::string how = trimmed(argument.made.substr(0, open));
  const bool known =
      how == "rand" || how == "zeros" || how == "ones" || how == "range" || how == "poison";
  if (!known || open == argument.made.npos || argument.made.back() != ')')
    throw BadInput("\"" + argument.text +
                   "\": an array is FILE.npy, rand(2x3), zeros(…), ones(…), range(…) or poison(…)");
  const std::vector<std::string> parts =
      split(argument.made.substr(open + 1, argument.made.size() - open - 2));
  if (parts.empty()) throw BadInput("\"" + argument.text + "\" says no shape");
  const Shape shape = shape_of(parts[0]);
  std::optional<Element> element = usual;
  std::uint64_t seed = 0;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (const auto named = element_of(parts[k]))
      element = named;
    else if (how == "rand")
      seed = whole(parts[k], "seed");
    else
      throw BadInput("\"" + argument.text + "\": there is no element type " + parts[k]);
  }
  const Element type = element.value_or(Element::f32);
  if (how == "poison") return {poison(type, shape), false};
  // Arrays of different names differ.
  if (how == "rand")
    return {random(type, shape, seed * 1000003 + std::hash<std::string>()(argument.name)), true};
  Array array(type, shape);
  if (how != "zeros")
    for (std::int64_t k = 0; k < array.count(); ++k)
      array.set(k, how == "ones" ? 1 : static_cast<double>(k));
  return {std::move(array), true};
}

std::pair<std::string, std::string> assignment(const std::string& text, const char* option) {
  const std::size_t equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  if (equals == text.npos || !is_name(name) || equals + 1 == text.size())
    throw BadInput(std::string(option) + " is NAME=…, not \"" + text + "\"");
  return {name, trimmed(text.substr(equals + 1))};
}

}  // namespace twin_command
