#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace torchlight::utf8 {

/// The character that a text begins with, and its bytes; a first byte that begins none stands alone.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool is_valid = false;
};

/// Of a text that isn't empty. Overlong forms, surrogates and codes beyond U+10FFFF are no characters.
constexpr Character first(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(text[i]) & 0xff; };
  const std::uint32_t head = byte(0);
  if (head < 0x80) return {head, 1, true};
  const std::size_t length = head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : 2;
  if (head < 0xc2 || head > 0xf4 || text.size() < length) return {head, 1, false};
  std::uint32_t code = head & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {head, 1, false};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < smallest[length] || is_surrogate || code > 0x10ffff) return {head, 1, false};
  return {code, length, true};
}

}  // namespace torchlight::utf8
