#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/environment.h"

namespace {

/// The rows "| `TORCHLIGHT_…` | meaning |" of a document.
std::vector<std::string> rows_of(const char* path) {
  std::vector<std::string> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.rfind("| `TORCHLIGHT_", 0) == 0) rows.push_back(line);
  return rows;
}

std::string row_of(const torchlight::environment::Variable& variable) {
  return "| `" + std::string(variable.name) + "` | " + std::string(variable.meaning) + " |";
}

}  // namespace

TEST_CASE("docs: plugin-abi.md lists exactly the variables of the library") {
  const auto variables = torchlight::environment::variables();
  const std::vector<std::string> rows = rows_of(PLUGIN_ABI_MD);
  REQUIRE(rows.size() == variables.size());
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == row_of(variables[i]));
}
