#include <doctest/doctest.h>

#include "twin/command.h"

namespace {

using namespace torchlight::test;

std::vector<std::string> program(const std::vector<std::string>& further) {
  std::vector<std::string> words = {"run", kernel_file("block_sum.cu"), kernel_file("numbers.cu")};
  words.insert(words.end(), further.begin(), further.end());
  return words;
}

/// One fault: it is reported in its line, and status 1 though the program gives 0. Without --check it's the program's.
void finds(const std::string& option, const std::string& mark, const std::string& text) {
  CAPTURE(option);
  const Result checked = twin(program({"-D" + option, "--check"}));
  CHECK(checked.status == 1);
  CHECK(has(checked.error, error_at("block_sum.cu", mark)));
  CHECK(has(checked.error, text));
  CHECK(has(checked.error, "[kernel block_sum(float const*, float*, int), block ("));
}

TEST_CASE("run: a right program passes, checked and with other schedules") {
  const Result plain = twin(program({}));
  CHECK(plain.status == 0);
  CHECK(plain.out == "sum 999\n");
  CHECK(plain.error.empty());
  const Result checked = twin(program({"--check", "--seeds", "3"}));
  CHECK(checked.status == 0);
  CHECK(checked.out == "sum 999\n");
  CHECK(has(checked.error, "3 of 3 permuted schedules passed"));
}

TEST_CASE("run: arguments reach the program, and its status comes back") {
  const Result result = twin(program({"--", "10", "7"}));
  CHECK(result.out == "sum 9\n");
  CHECK(result.status == 7);
}

TEST_CASE("run: each fault is found in its line") {
  finds("NO_BARRIER", "written", "which is read by thread (0,0,0) at ");
  finds("TOO_FAR", "too_far", "out of bounds");
  finds("HALF_BARRIER", "half_barrier", "barrier");
  finds("ALL_WRITE", "all_write", "race");
}

TEST_CASE("run: a leak has no line") {
  const Result result = twin(program({"-DLEAK", "--check"}));
  CHECK(result.status == 1);
  CHECK(has(result.error, "error: leak: "));
}

TEST_CASE("run: a program that hangs or crashes ends") {
  const Result hangs = twin(program({"-DHANGS", "--time-limit", "0.3"}));
  CHECK(hangs.status == 1);
  CHECK(has(hangs.error, "stopped after 0.3 s (--time-limit)"));
  const Result crashes = twin(program({"-DCRASHES"}));
  CHECK(crashes.status == 128 + 6);
  CHECK(has(crashes.error, "the program ended by Aborted"));
}

TEST_CASE("run: the verdict") {
  const Json good = verdict(program({"--check", "--seeds", "1"}), 0);
  CHECK(good["runs"].size() == 2);
  CHECK(good["output"] == "sum 999\n");
  const Json bad = verdict(program({"--check", "-DTOO_FAR"}), 1);
  const Json fault = bad["runs"][0]["faults"][0];
  CHECK(has(fault["file"], "/block_sum.cu"));
  CHECK("/block_sum.cu:" + std::to_string(fault["line"].get<int>()) + ": error: " ==
        error_at("block_sum.cu", "too_far"));
  CHECK(fault["block"] == "(7,0,0)");
  CHECK(fault["thread"] == "(104,0,0)");
}

}  // namespace
