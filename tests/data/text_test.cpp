#include <torchlight/data.h>

#include "gzipped.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::data::FieldOptions, tl::data::FieldReader, tl::data::read_text, tl::data::TextReader;
using tl::test::error_of, tl::test::gzipped, tl::test::says, tl::test::Scratch;

namespace {

using Row = std::vector<std::string>;

std::vector<std::string> lines(const std::string& content) {
  const Scratch scratch;
  TextReader reader(scratch.write("a.txt", content));
  std::vector<std::string> all;
  for (std::string_view line; reader.next(line);) all.emplace_back(line);
  return all;
}

std::vector<Row> rows(const std::string& content, FieldOptions options = {}) {
  const Scratch scratch;
  FieldReader reader(scratch.write("a.csv", content), options);
  std::vector<Row> all;
  for (Row row; reader.next(row);) all.push_back(row);
  return all;
}

template <class... Parts>
void check_refused(const std::string& content, FieldOptions options, const Parts&... parts) {
  const std::string error = error_of<tl::FileError>([&] { rows(content, options); });
  CAPTURE(error);
  CHECK(says(error, "a.csv", parts...));
}

}  // namespace

TEST_CASE("text: lines, whatever their ends") {
  CHECK(lines("").empty());
  CHECK(lines("one\ntwo\r\n\nlast") == Row{"one", "two", "", "last"});
  CHECK(lines("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo") == Row{"one", "\xEF\xBB\xBFtwo"});
  CHECK(lines(gzipped("one\ntwo\n")) == Row{"one", "two"});
  const Scratch scratch;
  TextReader reader(scratch.write("a.txt", "x\ny"));
  std::string_view line;
  CHECK(reader.next(line));
  CHECK(reader.next(line));
  CHECK(reader.line() == 2);
  CHECK_FALSE(reader.next(line));
}

TEST_CASE("text: a whole file as it is") {
  const Scratch scratch;
  const std::string content = "one\r\n" + std::string(3 << 20, 'x') + '\0';
  CHECK(read_text(scratch.write("a", content)) == content);
  CHECK(read_text(scratch.write("b", gzipped(content))) == content);
  CHECK(read_text(scratch.write("c", "")).empty());
  CHECK(says(error_of<tl::FileError>([&] { read_text(scratch.file("none")); }), "none"));
}

TEST_CASE("fields: plain, quoted, and across lines") {
  CHECK(rows("a,b\n,\n\nlast,row") == std::vector<Row>{{"a", "b"}, {"", ""}, {"last", "row"}});
  CHECK(rows("\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"") ==
        std::vector<Row>{{"a,b", "say \"hi\""}, {"two\nlines", ""}});
  CHECK(
      rows("text\tlabel\ngood \"film\"\t1\n", {.delimiter = '\t', .quotes = false, .skip_lines = 1}) ==
      std::vector<Row>{{"good \"film\"", "1"}});
  CHECK(rows("").empty());
}

TEST_CASE("fields: what has no meaning is refused with its line") {
  check_refused("a,b\nc\n", {}, "line 2", "1 fields", "2");
  check_refused("a,b\n\"c,d\n", {}, "line 2", "isn't closed");
  check_refused("a,b\"c\"d\n", {}, "line 1", "column 2");
  check_refused("\"a\"b,c\n", {}, "line 1", "column 1", "closing quote");
  CHECK(says(error_of([] { rows("a", {.delimiter = '"'}); }), "delimiter"));
  CHECK(says(error_of([] { rows("a", {.skip_lines = -1}); }), "skip_lines", "-1"));
}
