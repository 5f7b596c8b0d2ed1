#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace torchlight {

/// A piece of a message: text, a number or a character, as it was passed. Lives as long as the call.
class TextPart {
 public:
  TextPart(std::string_view words) : kind_(Kind::words), words_(words) {}
  TextPart(const std::string& words) : TextPart(std::string_view(words)) {}
  TextPart(const char* words) : TextPart(std::string_view(words)) {}
  TextPart(char letter) : kind_(Kind::letter), letter_(letter) {}
  TextPart(std::signed_integral auto number) : kind_(Kind::whole), whole_(number) {}
  TextPart(std::unsigned_integral auto number) : kind_(Kind::natural), natural_(number) {}
  TextPart(std::floating_point auto number) : kind_(Kind::real), real_(static_cast<double>(number)) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind { words, letter, whole, natural, real };
  Kind kind_;
  union {
    std::string_view words_;
    char letter_;
    std::int64_t whole_;
    std::uint64_t natural_;
    double real_;
  };
};

std::string join(std::initializer_list<TextPart> parts);

/// One string from parts: text("expected ", 3, ", got ", shape.str()).
template <class... Parts> std::string text(const Parts&... parts) { return join({TextPart(parts)...}); }

}  // namespace torchlight
