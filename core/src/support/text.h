#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace torchlight {

/// A piece of a message: text, a number or a character, as it was passed. Lives as long as the call. A string
/// may hold what somebody else wrote (a path, a name, what a plug-in says) and is made printable(); a
/// literal stays as it is.
class TextPart {
 public:
  TextPart(std::string_view words) : kind_(Kind::words), words_(words) {}
  TextPart(const std::string& words) : TextPart(std::string_view(words)) {}
  TextPart(const char* words) : kind_(Kind::literal), words_(words) {}
  TextPart(char letter) : kind_(Kind::letter), letter_(letter) {}
  TextPart(std::signed_integral auto number) : kind_(Kind::whole), whole_(number) {}
  TextPart(std::unsigned_integral auto number) : kind_(Kind::natural), natural_(number) {}
  TextPart(std::floating_point auto number) : kind_(Kind::real), real_(static_cast<double>(number)) {}

  void append_to(std::string& out) const;

 private:
  enum class Kind { words, literal, letter, whole, natural, real };
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

/// A message from parts: text("expected ", 3, ", got ", shape.str()). For people to read: not for the
/// names of files, which must stay as they are.
template <class... Parts> std::string text(const Parts&... parts) { return join({TextPart(parts)...}); }

/// The first characters of `words`, at most so many bytes, as a message shows them: printable, and with an
/// ellipsis where something was left out.
std::string excerpt(std::string_view words, std::size_t bytes);

/// A name that somebody else chose, for a message: the excerpt, in quotes.
std::string in_quotes(std::string_view name, std::size_t bytes = 100);

/// printable(), but line ends and tabs stay.
std::string printable_lines(std::string_view words);

}  // namespace torchlight
