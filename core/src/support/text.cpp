#include "support/text.h"

#include <charconv>

namespace torchlight {

void TextPart::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::words: out += words_; return;
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
