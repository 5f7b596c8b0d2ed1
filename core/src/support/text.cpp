#include "support/text.h"

#include <charconv>

#include <torchlight/error.h>

#include "support/utf8.h"

namespace torchlight {
namespace {

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
}

void append_printable(std::string& out, std::string_view words, std::string_view kept) {
  while (!words.empty()) {
    const utf8::Character next = utf8::first(words);
    const std::string_view bytes = words.substr(0, next.bytes);
    const bool is_control = next.code < 0x20 || (next.code >= 0x7f && next.code < 0xa0);
    if (!next.is_valid || (is_control && kept.find(bytes) == kept.npos))
      append_escaped(out, bytes);
    else
      out += bytes;
    words.remove_prefix(next.bytes);
  }
}

}  // namespace

std::string printable(std::string_view words) {
  std::string out;
  append_printable(out, words, "");
  return out;
}

std::string printable_lines(std::string_view words) {
  std::string out;
  append_printable(out, words, "\n\t");
  return out;
}

std::string excerpt(std::string_view words, std::size_t bytes) {
  std::size_t end = 0;
  while (end < words.size()) {
    const std::size_t next = utf8::first(words.substr(end)).bytes;
    if (end + next > bytes) return printable(words.substr(0, end)) + "…";
    end += next;
  }
  return printable(words);
}

std::string in_quotes(std::string_view name, std::size_t bytes) {
  return "\"" + excerpt(name, bytes) + "\"";
}

Error::Error(std::string_view text) : std::runtime_error(printable_lines(text)) {}

void TextPart::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::words: append_printable(out, words_, ""); return;
    case Kind::literal: out += words_; return;
    case Kind::letter: out += letter_; return;
    case Kind::whole: out += std::to_string(whole_); return;
    case Kind::natural: out += std::to_string(natural_); return;
    case Kind::real: break;
  }
  char digits[32];  // six of them, a point, a sign and an exponent
  const auto end =
      std::to_chars(digits, digits + sizeof digits, real_, std::chars_format::general, 6).ptr;
  out.append(digits, end);
}

std::string join(std::initializer_list<TextPart> parts) {
  std::string out;
  for (const TextPart& part : parts) part.append_to(out);
  return out;
}

}  // namespace torchlight
