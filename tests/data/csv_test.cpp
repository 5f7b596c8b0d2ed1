#include <sys/stat.h>

#include <limits>

#include <torchlight/data.h>

#include "gzipped.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

namespace tl = torchlight;
using tl::data::CsvOptions, tl::data::read_csv;
using tl::test::check_close, tl::test::error_of, tl::test::gzipped, tl::test::says, tl::test::Scratch;

namespace {

tl::Tensor parsed(const std::string& content, const CsvOptions& options = {}) {
  const Scratch scratch;
  return read_csv(scratch.write("a.csv", content), options);
}

// Reading `content` is a FileError that says the file's name and `parts`.
template <class... Parts>
void check_refused(const std::string& content, const CsvOptions& options, const Parts&... parts) {
  CAPTURE(content);
  const std::string error = error_of<tl::FileError>([&] { parsed(content, options); });
  CAPTURE(error);
  CHECK(says(error, "a.csv", parts...));
}

}  // namespace

TEST_CASE("csv: rows of numbers become a tensor") {
  check_close(parsed("1,2.5,-3e2\n4,.5,6.\n"), {2, 3}, {1, 2.5, -300, 4, 0.5, 6});
  check_close(parsed("1"), {1, 1}, {1});
}

TEST_CASE("csv: blanks, signs, CRLF, a byte order mark and a missing last newline are fine") {
  check_close(parsed("\xEF\xBB\xBF 1 ,\t+2\r\n3,4 "), {2, 2}, {1, 2, 3, 4});
}

TEST_CASE("csv: delimiter, header and dtype are options") {
  check_close(parsed("a;b\n1;2\n", {.delimiter = ';', .skip_lines = 1}), {1, 2}, {1, 2});
  const tl::Tensor whole = parsed("9007199254740993,-1\n", {.dtype = tl::int64});
  CHECK(whole.dtype() == tl::int64);
  CHECK(whole.to_vector<std::int64_t>() == std::vector<std::int64_t>{9007199254740993, -1});
  CHECK(parsed("0.1\n", {.dtype = tl::float64}).item<double>() == 0.1);
  CHECK(says(error_of([] { parsed("1\n", {.dtype = tl::uint8}); }), "read_csv", "uint8"));
}

TEST_CASE("csv: options that make no sense are refused") {
  for (const char delimiter : {'\n', '\r', '.', '-', '1', 'e'})
    CHECK(says(error_of([&] { parsed("1\n", {.delimiter = delimiter}); }), "read_csv", "delimiter"));
  CHECK(says(error_of([] { parsed("1\n", {.skip_lines = -1}); }), "read_csv", "skip_lines", "-1"));
}

TEST_CASE("csv: a row of another length is named by its line") {
  check_refused("1,2\n3,4\n5\n", {}, "line 3", "1 columns", "2");
  check_refused("1,2\n3,4,5\n", {}, "line 2", "3 columns", "2");
  check_refused("h\n1,2\n3\n", {.skip_lines = 1}, "line 3");
}

TEST_CASE("csv: what is no number is named by line and column") {
  for (const char* bad : {"x", "1x", "0x10", "1e", "1_0", "--1", "+-1", "1 2", "\"1\"", "1,5;"})
    check_refused(std::string("1;2\n3;") + bad + "\n", {.delimiter = ';'}, "line 2", "column 2",
                  "is not a number");
  for (const char* bad : {"1.5", "1e3", "1.0", "1e400", "1e-400", "nan", "-inf"})
    check_refused(std::string(bad) + "\n", {.dtype = tl::int64}, "line 1", "column 1", bad,
                  "is not a whole number; int64");
  check_refused("1x\n", {.dtype = tl::int64}, "\"1x\" is not a number");
  check_refused("1,\x01\x02\n", {}, "line 1", "column 2", R"("\x01\x02")");
}

TEST_CASE("csv: missing values are errors unless they are asked for") {
  check_refused("1,,3\n", {}, "line 1", "column 2", "empty");
  check_refused("1,2,\n", {}, "line 1", "column 3", "empty");
  check_refused("1,2,\n", {.dtype = tl::int64, .allow_missing = true}, "column 3", "empty");
  check_close(parsed("1,,3\n", {.allow_missing = true}), {1, 3}, {1, std::nan(""), 3});
}

TEST_CASE("csv: NaN and infinity in words are errors unless they are asked for") {
  for (const char* word : {"nan", "NaN", "-nan", "inf", "-Inf", "INFINITY"})
    check_refused(std::string("1\n") + word + "\n", {}, "line 2", "column 1", word, "finite");
  constexpr double inf = std::numeric_limits<double>::infinity();
  check_close(parsed("NaN,-inf,Infinity\n", {.allow_missing = true}), {1, 3},
              {std::nan(""), -inf, inf});
}

TEST_CASE("csv: a number that the dtype can't hold is an error") {
  check_refused("1\n1e39\n", {}, "line 2", "column 1", "1e39", "float32");
  check_refused("1e400\n", {.dtype = tl::float64}, "1e400", "float64");
  check_refused("9223372036854775808\n", {.dtype = tl::int64}, "9223372036854775808", "int64");
  check_refused("-1e99999999999999999999\n", {}, "out of the range of float32");
  CHECK(parsed("1e39\n", {.dtype = tl::float64}).item<double>() == 1e39);
}

TEST_CASE("csv: a number too near to 0 for the dtype is the nearest that it has") {
  const auto read = [](const char* number, tl::Dtype dtype) {
    return parsed(number, {.dtype = dtype}).item<double>();
  };
  CHECK(read("1e-400", tl::float64) == 0);
  CHECK(read("1e-99999999999999999999", tl::float64) == 0);
  CHECK(std::signbit(read("-1e-400", tl::float64)));
  CHECK(read("3e-324", tl::float64) == std::numeric_limits<double>::denorm_min());
  CHECK(read("1e-46", tl::float32) == 0);
  CHECK(read("+1.1e-45", tl::float32) == std::numeric_limits<float>::denorm_min());
  CHECK(read("1e-46", tl::float64) == 1e-46);
}

TEST_CASE("csv: empty files and empty lines are errors") {
  check_refused("", {}, "no rows");
  check_refused("a,b\n", {.skip_lines = 1}, "no rows");
  check_refused("", {.skip_lines = 3}, "no rows");
  check_refused("1,2\n\n3,4\n", {}, "line 2", "empty");
  check_refused("\n", {}, "line 1", "empty");
  check_refused("1,2\n  \r\n", {}, "line 2", "empty");
}

TEST_CASE("csv: gzipped files are read as they are, damaged ones are refused") {
  std::string rows;
  for (int i = 0; i < 50000; ++i) rows += std::to_string(i) + ",0.5\n";
  const std::string packed = gzipped(rows);
  REQUIRE(packed.size() < rows.size() / 2);
  const tl::Tensor table = parsed(packed);
  CHECK(table.shape() == tl::Shape{50000, 2});
  CHECK(table[49999][0].item<float>() == 49999);

  for (const std::size_t size :
       {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 4, packed.size() - 1})
    check_refused(packed.substr(0, size), {}, "cut off", "at byte " + std::to_string(size));
  std::string flipped = packed;
  flipped[packed.size() - 6] = static_cast<char>(flipped[packed.size() - 6] ^ 1);
  check_refused(flipped, {}, "damaged");
}

TEST_CASE("csv: gzip members in a row are one file, anything else behind them is refused") {
  const std::string one = gzipped("1,2\n3,"), two = gzipped("4\n5,6\n");
  check_close(parsed(one + two), {3, 2}, {1, 2, 3, 4, 5, 6});
  check_close(parsed(gzipped("") + one + gzipped("") + two), {3, 2}, {1, 2, 3, 4, 5, 6});

  const std::string good = gzipped("5,6\n");
  const std::string place = "at byte " + std::to_string(good.size());
  for (const std::string& more : {std::string("x"), std::string("7,8\n"), std::string(512, '\0')})
    check_refused(good + more, {}, "isn't gzip follows", place);
  check_refused(good + "\x1f", {}, "cut off");
  check_refused(good + "\x1fx", {}, "damaged");
  check_refused(good + good.substr(0, good.size() - 1), {}, "cut off");
}

TEST_CASE("csv: lines longer than the buffer are read whole") {
  std::string line = "1";
  for (int i = 1; i < 100000; ++i) line += ",1";
  const tl::Tensor table = parsed(line + "\n" + line + "\n");
  CHECK(table.shape() == tl::Shape{2, 100000});
  CHECK(table.sum().item<float>() == 200000);
}

TEST_CASE("csv: a FIFO, a socket and a device are refused, not waited for") {
  const Scratch scratch;
  const auto refuse = [](const std::string& path, const char* kind) {
    CHECK(says(error_of<tl::FileError>([&] { read_csv(path); }), path, kind, "not a regular file"));
  };
  REQUIRE(::mkfifo(scratch.file("fifo").c_str(), 0600) == 0);
  REQUIRE(::mknod(scratch.file("socket").c_str(), S_IFSOCK | 0600, 0) == 0);
  refuse(scratch.file("fifo"), "a FIFO");
  refuse(scratch.file("socket"), "a socket");
  refuse("/dev/zero", "a device file");
  refuse(scratch.file(""), "a directory");
}

TEST_CASE("csv: a missing file and a directory are errors that name the path") {
  const Scratch scratch;
  CHECK(says(error_of<tl::FileError>([&] { read_csv(scratch.file("none.csv")); }), "none.csv",
             "No such file"));
  CHECK(says(error_of<tl::FileError>([&] { read_csv(scratch.file("")); }), scratch.file(""),
             "directory"));
}

TEST_CASE("csv: a part at a time gives the rows of the whole file, and errors at their line") {
  const Scratch scratch;
  const std::string path = scratch.write("a.csv", "x,y\n1,2\n3,4\n5,6\n7,8\n9,10\n");
  tl::data::CsvReader reader(path, {.skip_lines = 1});
  check_close(reader.next(2), {2, 2}, {1, 2, 3, 4});
  check_close(reader.next(1), {1, 2}, {5, 6});
  check_close(reader.next(9), {2, 2}, {7, 8, 9, 10});
  CHECK_FALSE(reader.next(9).defined());
  CHECK_FALSE(reader.next(9).defined());
  CHECK(says(error_of([&] { reader.next(0); }), "rows", "0"));

  tl::data::CsvReader bad(scratch.write("b.csv", "1,2\n3,4\n5\n"));
  check_close(bad.next(2), {2, 2}, {1, 2, 3, 4});
  CHECK(says(error_of<tl::FileError>([&] { bad.next(1); }), "b.csv", "line 3", "1 columns"));

  // Whoever goes on behind a bad row gets the others, each where it belongs.
  tl::data::CsvReader rough(scratch.write("c.csv", "1,2\n3\n4,5,6\n7,x\n8,9\n"));
  for (const char* line : {"line 2", "line 3", "line 4"})
    CHECK(says(error_of<tl::FileError>([&] { rough.next(9); }), line));
  check_close(rough.next(9), {2, 2}, {1, 2, 8, 9});
}
