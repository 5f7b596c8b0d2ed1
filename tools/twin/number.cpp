#include "number.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "command.h"

namespace twin_command {
namespace {

/// Of 64 bits a double can't hold all.
std::optional<std::int64_t> exact(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double number(std::string text, Element element, const std::string& what) {
  const std::string written = text;
  if (text == "true" || text == "false") text = text == "true" ? "1" : "0";
  if (!text.empty() && text.back() == 'f' && text != "inf") text.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadInput("\"" + written + "\" is no number, and the parameter is " + what);
  if (is_floating(element)) return value;
  const int bits = static_cast<int>(8 * bytes_of(element));
  const bool is_signed = element == Element::i8 || element == Element::i16 || element == Element::i32 ||
                         element == Element::i64;
  const double least = is_signed ? -std::ldexp(1, bits - 1) : 0,
               most = std::ldexp(1, is_signed ? bits - 1 : bits);
  if (value != std::floor(value) || value < least || value >= most)
    throw BadInput("\"" + written + "\" doesn't fit into " + what);
  return value;
}

}  // namespace

void pass_number(const std::string& text, const Type& type, std::uint32_t bytes,
                 const std::string& what, char* place) {
  if (!type.element || bytes > 8)
    throw BadInput("the parameter " + what + " isn't a number, and can't be given here");
  Array one(*type.element, {1});
  if (one.bytes.size() != bytes)
    throw BadInput("the parameter " + what + " has " + std::to_string(bytes) +
                   " bytes, which isn't understood");
  one.set(0, number(text, *type.element, what));
  if (const auto whole = exact(text); whole && bytes == 8 && !is_floating(one.element))
    std::memcpy(one.bytes.data(), &*whole, 8);
  std::memcpy(place, one.bytes.data(), bytes);
}

}  // namespace twin_command
