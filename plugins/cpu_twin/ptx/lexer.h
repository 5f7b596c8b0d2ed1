// Words of a PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace twin::ptx {

struct Token {
  enum class Kind : uint8_t {
    end,
    word,       // names, opcodes with their dots ("ld.global.f32"), registers ("%r1"), labels ("$L1")
    directive,  // ".reg"
    integer,
    real,  // 0f… and 0d…; `single` says which
    string,
    mark  // one character
  };
  Kind kind = Kind::end;
  std::string_view text;
  uint64_t bits = 0;
  bool single = false;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) { next(); }

  const Token& token() const { return token_; }
  Token take() {
    const Token taken = token_;
    next();
    return taken;
  }
  bool at(char mark) const { return token_.kind == Token::Kind::mark && token_.text[0] == mark; }
  bool at(std::string_view word) const {
    return (token_.kind == Token::Kind::word || token_.kind == Token::Kind::directive) &&
           token_.text == word;
  }
  bool skip(char mark) {
    if (!at(mark)) return false;
    next();
    return true;
  }
  void expect(char mark);
  std::string word();
  int64_t integer();  // with its sign
  unsigned line() const { return line_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void next();
  void skip_blanks();
  void number();

  std::string_view rest_;
  Token token_;
  unsigned line_ = 1;
};

}  // namespace twin::ptx
