#include "ptx/lexer.h"

#include <bit>
#include <cctype>
#include <charconv>

#include "error.h"

namespace twin::ptx {
namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
}
bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == ':';
}

}  // namespace

void Lexer::fail(const std::string& what) const {
  const std::string found =
      token_.kind == Token::Kind::end ? "the end" : '"' + std::string(token_.text) + '"';
  throw CompileError("PTX line " + std::to_string(line_) + ": " + what + ", not " + found);
}

void Lexer::skip_blanks() {
  while (!rest_.empty()) {
    if (rest_[0] == '\n') ++line_;
    if (std::isspace(static_cast<unsigned char>(rest_[0]))) {
      rest_.remove_prefix(1);
    } else if (rest_.starts_with("//")) {
      const size_t end = rest_.find('\n');
      rest_.remove_prefix(end == rest_.npos ? rest_.size() : end);
    } else if (rest_.starts_with("/*")) {
      const size_t end = rest_.find("*/", 2);
      const size_t length = end == rest_.npos ? rest_.size() : end + 2;
      for (char c : rest_.substr(0, length)) line_ += c == '\n';
      rest_.remove_prefix(length);
    } else {
      return;
    }
  }
}

void Lexer::number() {
  // 0f and 0d: the bits in hexadecimal. Otherwise C's decimal, hexadecimal, octal or 0b with an optional U.
  const bool single = rest_.starts_with("0f") || rest_.starts_with("0F");
  const bool exact = single || rest_.starts_with("0d") || rest_.starts_with("0D");
  int base = 10;
  size_t skip = 0;
  if (exact || rest_.starts_with("0x") || rest_.starts_with("0X"))
    base = 16, skip = 2;
  else if (rest_.starts_with("0b"))
    base = 2, skip = 2;
  else if (rest_.size() > 1 && rest_[0] == '0' && std::isdigit(static_cast<unsigned char>(rest_[1])))
    base = 8;
  size_t digits = exact ? (single ? 8 : 16) : rest_.size() - skip;
  const char* begin = rest_.data() + skip;
  const char* limit = begin + std::min(digits, rest_.size() - skip);
  const auto [end, problem] = std::from_chars(begin, limit, token_.bits, base);
  size_t length = static_cast<size_t>(end - rest_.data());
  token_.kind = exact ? Token::Kind::real : Token::Kind::integer;
  token_.single = single;
  if (!exact && length < rest_.size() && base == 10 && (rest_[length] == '.' || rest_[length] == 'e')) {
    double value = 0;
    const auto real = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    length = static_cast<size_t>(real.ptr - rest_.data());
    token_.kind = Token::Kind::real;
    token_.bits = std::bit_cast<uint64_t>(value);
  }
  if (problem != std::errc() || length == 0) fail("expected a number");
  if (length < rest_.size() && rest_[length] == 'U') ++length;
  token_.text = rest_.substr(0, length);
  rest_.remove_prefix(length);
}

void Lexer::next() {
  skip_blanks();
  token_ = {};
  if (rest_.empty()) return;
  const char first = rest_[0];
  const bool dot = first == '.' && rest_.size() > 1 && begins_name(rest_[1]);
  if (begins_name(first) || dot) {
    size_t length = 1;
    while (length < rest_.size() && is_in_name(rest_[length])) {
      // A single colon ends a label; two stand inside modifiers ("shared::cta").
      if (rest_[length] == ':' && rest_.substr(length, 2) != "::") break;
      length += rest_[length] == ':' ? 2 : 1;
    }
    token_.kind = dot ? Token::Kind::directive : Token::Kind::word;
    token_.text = rest_.substr(0, length);
    rest_.remove_prefix(length);
  } else if (std::isdigit(static_cast<unsigned char>(first))) {
    number();
  } else if (first == '"') {
    const size_t end = rest_.find('"', 1);
    if (end == rest_.npos) fail("expected the end of a string");
    token_.kind = Token::Kind::string;
    token_.text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
  } else {
    token_.kind = Token::Kind::mark;
    token_.text = rest_.substr(0, 1);
    rest_.remove_prefix(1);
  }
}

void Lexer::expect(char mark) {
  if (!skip(mark)) fail(std::string("expected '") + mark + "'");
}

std::string Lexer::word() {
  if (token_.kind != Token::Kind::word) fail("expected a name");
  return std::string(take().text);
}

int64_t Lexer::integer() {
  const bool negative = skip('-');
  if (token_.kind != Token::Kind::integer) fail("expected an integer");
  const auto value = static_cast<int64_t>(take().bits);
  return negative ? -value : value;
}

}  // namespace twin::ptx
