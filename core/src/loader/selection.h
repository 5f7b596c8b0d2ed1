#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torchlight::loader {

/// One device, as a program asks for it: "cuda:1".
struct Wanted {
  std::string name;
  std::uint32_t index = 0;
};

/// "cpu", "cuda:1", or a list "cuda,cpu". Names are exact: a-z, 0-9 and _. DeviceError, with what is wrong,
/// for anything else; a list with one bad name is bad as a whole, since skipping it would hide a mistake.
std::vector<Wanted> parse_selection(std::string_view selection);

}  // namespace torchlight::loader
