// The words of a command line that go to the compiler or to the program, and the rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace twin_command {

struct Words {
  std::vector<std::string> own;        ///< for the parser of options
  std::vector<std::string> compile;    ///< -DX=1 -Ifolder -std=c++20 …
  std::vector<std::string> arguments;  ///< behind --
  std::optional<std::string> json;     ///< of --json, --json=FILE and --json FILE.json
};

Words sort_words(const std::vector<std::string>& words);

/// Quoted as a shell wants it.
std::string shown(const std::vector<std::string>& words);

}  // namespace twin_command
