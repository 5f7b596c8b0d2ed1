#include "loader/selection.h"

#include <algorithm>
#include <charconv>

#include <torchlight/error.h>

#include "support/text.h"

namespace torchlight::loader {
namespace {

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::uint32_t parse_index(std::string_view device, std::string_view digits) {
  std::uint32_t index = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool whole = error == std::errc() && rest == digits.data() + digits.size();
  if (!whole || (digits.size() > 1 && digits[0] == '0'))
    throw DeviceError(
        text("device \"", device, "\": \"", digits, "\" is not an index; write name:0, name:1 …"));
  return index;
}

Wanted parse_one(std::string_view device) {
  const std::size_t colon = device.find(':');
  const std::string_view name = device.substr(0, colon);
  if (!is_name(name))
    throw DeviceError(text("device \"", device,
                           "\": not a name; names are exact: lower case, digits and _, no spaces"));
  if (colon == device.npos) return {std::string(name), 0};
  return {std::string(name), parse_index(device, device.substr(colon + 1))};
}

}  // namespace

std::vector<Wanted> parse_selection(std::string_view selection) {
  std::vector<Wanted> wanted;
  std::string_view rest = selection;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    if (entry.empty() && !selection.empty())
      throw DeviceError(
          text("devices \"", selection, "\": entry ", wanted.size() + 1,
               " of the list is empty; write one comma between two names, as in cuda,cpu"));
    wanted.push_back(parse_one(entry));
    if (comma == rest.npos) return wanted;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace torchlight::loader
