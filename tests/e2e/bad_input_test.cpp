#include <algorithm>

#include "process.h"
#include "support/scratch.h"
#include "support/tensor_checks.h"

using torchlight::test::Launch, torchlight::test::Result, torchlight::test::run, torchlight::test::says,
    torchlight::test::Scratch;

namespace {

// Status 2, nothing on standard output, and on standard error what `parts` say. Gives its lines.
template <class... Parts> std::int64_t lines_of_refusal(const Launch& launch, const Parts&... parts) {
  const Result result = run(launch);
  CAPTURE(result.out);
  CAPTURE(result.error);
  CHECK(result.status == 2);
  CHECK(result.out == "");
  CHECK(result.error.starts_with("torchlight: "));
  CHECK(says(result.error, parts...));
  return std::count(result.error.begin(), result.error.end(), '\n');
}

template <class... Parts> void check_refused(const Launch& launch, const Parts&... parts) {
  CHECK(lines_of_refusal(launch, parts...) == 1);
}

// If something is taken that should be refused, at least it doesn't take long, and leaves nothing.
Launch train(std::vector<std::string> more) {
  Launch launch{{"train", "digits", "--out", "/dev/null/never"}};
  launch.arguments.insert(launch.arguments.end(), more.begin(), more.end());
  return launch;
}

std::string row(const std::string& label, const std::string& pixel = "0") {
  std::string text;
  for (int i = 0; i < 63; ++i) text += "0,";
  return text + pixel + "," + label + "\n";
}

}  // namespace

TEST_CASE("command: what it doesn't know is refused") {
  check_refused({}, "devices", "predict");
  check_refused({{"dance"}}, "dance");
  check_refused({{"train"}}, "say what to train", "digits", "seq2seq");
  check_refused({{"train", "cats"}}, "cats");
  check_refused(train({"--speed", "3"}), "--speed");
  check_refused({{"predict", "--index", "1", "--count", "2"}}, "--index", "--count");
}

TEST_CASE("command: bad numbers are refused") {
  for (const char* bad : {"0", "-1", "1.5", "ten", "", "1e99", "1000001"})
    check_refused(train({"--epochs", bad}), "--epochs");
  for (const char* bad : {"0", "-3", "x"}) check_refused(train({"--batch", bad}), "--batch");
  for (const char* bad : {"0", "-1", "nan", "inf", "fast"}) check_refused(train({"--lr", bad}), "--lr");
  for (const char* bad : {"-1", "x", "", "0x1", "18446744073709551616"})
    check_refused(train({"--seed", bad}), "--seed");
  check_refused({{"predict", "--count", "0"}}, "--count");
}

TEST_CASE("command: an unknown device is refused, with those that are known") {
  lines_of_refusal(train({"--device", "gpu9"}), "gpu9", "cpu");
  lines_of_refusal({{"predict", "--device", "CPU"}}, "CPU", "cpu");
  lines_of_refusal({{"train", "digits"}, {{"TORCHLIGHT_DEVICE", "abacus"}}}, "abacus", "cpu");
  lines_of_refusal({{"train", "digits"}, {{"TORCHLIGHT_DEVICE", "cpu,"}}},
                   "TORCHLIGHT_DEVICE: devices \"cpu,\": entry 2 of the list is empty");
  lines_of_refusal({{"train", "digits"}, {{"TORCHLIGHT_SIMD", "bogus"}}}, "TORCHLIGHT_SIMD=bogus",
                   "it has ");
}

TEST_CASE("command: data that is missing or malformed is refused, with line and column") {
  const Scratch scratch;
  const auto refuse = [&](const std::string& content, const auto&... parts) {
    check_refused(train({"--data", scratch.write("bad.csv", content)}), "bad.csv", parts...);
  };
  check_refused(train({"--data", scratch.file("none.csv")}), "none.csv", "No such file");
  refuse(row("3") + row("x"), "line 2", "column 65", "\"x\"");
  refuse(row("3") + row("4", ""), "line 2", "column 64", "empty");
  refuse(row("3") + "1,2\n", "line 2", "2 columns");
  refuse("1,2,3\n", "3 columns");
  refuse(row("3") + row("12"), "line 2", "column 65", "0 to 9");
  refuse(row("3") + row("1.5"), "line 2", "0 to 9");
  refuse(row("3") + row("1", "17"), "line 2", "pixel");
  refuse(row("3"), "too few");
  refuse("", "no rows");
  CHECK(scratch.names() == std::vector<std::string>{"bad.csv"});
}

TEST_CASE("command: an output that can't be written is refused before any work") {
  const Scratch scratch;
  for (const std::string& path :
       {scratch.file("none/weights"), scratch.file(""), std::string("/proc/weights")})
    check_refused({{"train", "digits", "--epochs", "1", "--out", path}}, "can't write", path);
  const std::string path = scratch.file("weights.pt");
  check_refused({{"train", "digits", "--epochs", "1", "--out", path}}, "not as .pt", path);
}

TEST_CASE("command: no name that it is given reaches the terminal raw") {
  const std::string evil = "\x1b]0;x\a\x9b\n", shown = R"(\x1b]0;x\x07\x9b\x0a)";
  const Scratch scratch;
  check_refused({{evil}}, shown);
  check_refused(train({"--data", scratch.file(evil)}), shown, "No such file");
  check_refused(train({"--data", scratch.write(evil, "x\n")}), shown, "line 1");
  check_refused(train({"--data", scratch.write(evil, "1,2\n")}), shown, "2 columns");
  check_refused(train({"--data", scratch.write(evil, row("3"))}), shown, "too few");
  check_refused({{"train", "digits", "--epochs", "1", "--out", "/nowhere/" + evil}}, shown);
  const std::string header = R"({"\u001b[2J\n":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  check_refused({{"predict", "--weights", scratch.write(evil, bytes + header + "1234")}}, shown,
                R"(\x1b[2J\x0a)");
  for (const Launch& launch :
       {train({"--device", evil}), Launch{{"train", "digits"}, {{"TORCHLIGHT_DEVICE", evil}}}}) {
    lines_of_refusal(launch, shown);
    CHECK_FALSE(says(run(launch).error, "\x1b"));
  }
  const Launch devices{{"devices"}, {{"TORCHLIGHT_PLUGIN_PATH", scratch.write(evil, "")}}};
  const Result result = run(devices);
  CHECK(says(result.out, shown));
  CHECK(says(result.error, shown));
  for (const std::string& stream : {result.out, result.error})
    for (const char* raw : {"\x1b", "\a", "\x9b"}) CHECK_FALSE(says(stream, raw));
}

TEST_CASE("command: weights that are missing, damaged or of something else are refused") {
  const Scratch scratch;
  check_refused({{"predict", "--weights", scratch.file("none")}}, "none", "No such file");
  check_refused({{"predict", "--weights", scratch.write("bad", "12345678{}")}}, "bad", "header");
  const std::string other = scratch.write("other", std::string("\x02\0\0\0\0\0\0\0{}", 10));
  check_refused({{"predict", "--weights", other}}, "other", "missing", "0.weight");
  check_refused({{"predict", "--index", "1797"}}, "1797");
  check_refused({{"predict", "--index", "-1"}}, "-1");
}
