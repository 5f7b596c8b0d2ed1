#include "io/quoted.h"

namespace torchlight::io {

std::string quoted(std::string_view name) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t longest = 100;
  std::string out = "\"";
  for (const char c : name.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return out + (name.size() > longest ? "…\"" : "\"");
}

}  // namespace torchlight::io
