// "kernel<<<grid, block, shared>>>(arguments)" as people write it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array.h"
#include "runtime/block.h"

namespace twin_command {

struct Argument {
  enum class Kind { number, array, null } kind = Kind::number;
  std::string text;  ///< as it was written
  std::string name;  ///< of an array
  std::string made;  ///< "rand(2x3, f32, 7)" or "x.npy"; empty for an array that exists
};

struct LaunchText {
  std::string kernel;
  twin::Dim grid, block;
  std::uint32_t shared = 0;
  std::vector<Argument> arguments;
};

/// BadInput that says what is wrong.
LaunchText parse_launch(const std::string& text);

/// An array as rand(2x3[, f32][, seed]), zeros(…), ones(…), range(…), poison(…) or FILE.npy make it. `usual` is the
/// element type where none is said. `given`: whether it has values.
struct Made {
  Array array;
  bool given = true;
};
Made make_array(const Argument& argument, std::optional<Element> usual);

/// Of NAME=VALUE.
std::pair<std::string, std::string> assignment(const std::string& text, const char* option);

}  // namespace twin_command
