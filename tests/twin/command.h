// torchlight twin in a process of its own, on the kernels of this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "e2e/process.h"

namespace torchlight::test {

using Json = nlohmann::ordered_json;
using Environment = std::vector<std::pair<std::string, std::string>>;

std::string kernel_file(const std::string& name);
/// "/block_sum.cu:12: error: " of the line that is marked so.
std::string error_at(const std::string& file, const std::string& mark);
/// `torchlight twin ARGUMENTS…`
Result twin(std::vector<std::string> arguments, const Environment& environment = {});
/// The same with --json: status, and what it printed.
Json verdict(std::vector<std::string> arguments, int status);
bool has(const std::string& text, const std::string& part);
/// A folder of this test's own, which is empty and goes with the program.
std::string fresh_folder(const std::string& name);

}  // namespace torchlight::test
