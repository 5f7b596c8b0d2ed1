#include "support/text.h"

#include <doctest/doctest.h>

#include <torchlight/error.h>

using torchlight::Error, torchlight::excerpt, torchlight::printable, torchlight::text;

TEST_CASE("printable: control characters are shown, UTF-8 stays") {
  CHECK(printable("plain \\ text") == "plain \\ text");
  CHECK(printable("Wörter, 数, 🔦") == "Wörter, 数, 🔦");
  CHECK(printable("\x1b[31m\a\r\n\t\x7f") == R"(\x1b[31m\x07\x0d\x0a\x09\x7f)");
  CHECK(printable(std::string_view("a\0b", 3)) == R"(a\x00b)");
  CHECK(printable("\xc2\x9b"
                  "31m \xc2\xa0") == R"(\xc2\x9b31m )"
                                     "\xc2\xa0");
}

TEST_CASE("printable: what isn't UTF-8 is shown byte by byte") {
  CHECK(printable("\x9b"
                  "31m") == R"(\x9b31m)");
  CHECK(printable("\xff\xc3") == R"(\xff\xc3)");
  CHECK(printable("\xc0\x9b") == R"(\xc0\x9b)");                  // overlong
  CHECK(printable("\xed\xa0\x80") == R"(\xed\xa0\x80)");          // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == R"(\xf4\x90\x80\x80)");  // beyond the last code
  CHECK(printable("\xe2\x82x") == R"(\xe2\x82x)");                // cut off
}

TEST_CASE("printable: doing it twice changes nothing") {
  const std::string once = printable("\x1b]0;title\a");
  CHECK(printable(once) == once);
}

TEST_CASE("text: strings are made printable, literals stay as they are") {
  CHECK(text("\n  ", std::string("a\nb"), std::string_view("\x1b")) == "\n  a\\x0ab\\x1b");
}

TEST_CASE("excerpt: ends between characters and says that something is missing") {
  CHECK(excerpt("abc", 3) == "abc");
  CHECK(excerpt("abcd", 3) == "abc…");
  CHECK(excerpt("aöb", 2) == "a…");
  CHECK(excerpt("\x1b[0m", 2) == "\\x1b[…");
}

TEST_CASE("errors: lines stay, all else that controls a terminal is shown") {
  CHECK(std::string(Error("one\n  two\tthree\x1b[2J\x9b").what()) == "one\n  two\tthree\\x1b[2J\\x9b");
}
