#include <doctest/doctest.h>

#include "twin/command.h"

namespace {

using namespace torchlight::test;

Json judged(const std::string& op, const std::vector<std::string>& defines, int status,
            const std::string& file = "exercises.cu") {
  std::vector<std::string> words = {kernel_file(file), "--op", op, "--seed", "5", "--time-limit", "1",
                                    "--memory-limit",  "400"};
  for (const std::string& define : defines) words.push_back("-D" + define);
  return verdict(words, status);
}

/// The case of that name.
Json one(const Json& verdict, const std::string& name) {
  for (const Json& entry : verdict["cases"])
    if (entry["case"] == name) return entry;
  FAIL("there is no case " << name);
  return {};
}

TEST_CASE("op: right solutions get all points") {
  CHECK(judged("relu", {"RELU"}, 0)["score"] == 100);
  CHECK(judged("matmul", {"MATMUL"}, 0)["score"] == 100);
  CHECK(judged("softmax", {"SOFTMAX"}, 0)["score"] == 100);
  CHECK(judged("attn_softmax", {}, 0, "launchers.cu")["score"] == 100);
  CHECK(judged("layernorm_fw", {}, 0, "launchers.cu")["score"] == 100);
  CHECK(judged("tensorMap", {}, 0, "launchers.cu")["score"] == 100);
  CHECK(judged("MatrixMultiply", {}, 0, "launchers.cu")["score"] == 100);
}

TEST_CASE("op: a tail that is left out fails in cases with a tail") {
  const Json verdict = judged("relu", {"RELU", "NO_TAIL"}, 1);
  CHECK(one(verdict, "1024")["passed"] == true);
  CHECK(one(verdict, "33")["passed"] == false);
  CHECK(has(one(verdict, "33")["text"], "was never written"));
}

TEST_CASE("op: a write behind the end is found by --check") {
  const Result result =
      twin({kernel_file("exercises.cu"), "--op", "relu", "-DRELU", "-DNO_GUARD", "--check"});
  CHECK(result.status == 1);
  CHECK(has(result.out, error_at("exercises.cu", "no_guard")));
}

TEST_CASE("op: softmax without its maximum fails where values are large") {
  const Json verdict = judged("softmax", {"SOFTMAX", "NO_MAXIMUM"}, 1);
  CHECK(one(verdict, "1000")["passed"] == true);
  CHECK(one(verdict, "257 large")["passed"] == false);
}

TEST_CASE("op: a grid that is turned fails on what isn't square") {
  const Json verdict = judged("matmul", {"MATMUL", "TURNED"}, 1);
  CHECK(one(verdict, "64,64,64")["passed"] == true);
  CHECK(one(verdict, "1,33,1")["passed"] == true);
  CHECK(one(verdict, "128,300,70")["passed"] == false);
}

TEST_CASE("op: what ends, crashes, hangs or takes all memory costs its own case") {
  const auto costs = [](const std::string& define, const std::string& name, const std::string& text) {
    CAPTURE(define);
    const Json verdict = judged("relu", {"RELU", define}, 1);
    CHECK(has(one(verdict, name)["text"], text));
    CHECK(verdict["points"] == verdict["of"].get<int>() - 1);
  };
  costs("EXITS", "31", "it ended the process");
  costs("CRASHES", "31", "it ended by Aborted");
  costs("ENDLESS", "33", "ran longer than it may");
  costs("GREEDY", "31", "(--memory-limit)");
}

TEST_CASE("op: a launcher that copies nothing back hands out its input") {
  const Json verdict = judged("attn_softmax", {"FORGETS_TO_COPY"}, 1, "launchers.cu");
  CHECK(verdict["points"] == 0);
}

TEST_CASE("op: a file that doesn't compile has a verdict without points") {
  const Json verdict = judged("relu", {}, 1, "not_a_program.cu");
  CHECK(verdict["score"] == 0);
  CHECK(has(verdict["error"], "error: use of undeclared identifier 'undeclared'"));
}

TEST_CASE("op: the seed is shown, or isn't") {
  const std::vector<std::string> words = {kernel_file("exercises.cu"), "--op", "relu", "-DRELU"};
  std::vector<std::string> hidden = words, given = words;
  hidden.push_back("--hide-seed");
  given.insert(given.end(), {"--seed", "77"});
  CHECK(has(twin(words).out, "again with --seed "));
  CHECK(has(twin(given).out, "inputs from seed 77\n"));
  CHECK(has(twin(hidden).out, "inputs from a seed that isn't shown"));
  CHECK(verdict(hidden, 0)["seed"].is_null());
}

TEST_CASE("op: functions that don't fit are shown beside what is asked for") {
  const Result result = twin({kernel_file("exercises.cu"), "--op", "matmul", "-DRELU"});
  CHECK(result.status == 2);
  CHECK(has(result.error,
            "there is\n  solve(const float* input, float* output, int N)\nmatmul asks for\n  void "
            "solve(const float* A"));
  CHECK(has(twin({kernel_file("alone.cu"), "--op", "relu"}).error,
            "there is no such function; relu asks for"));
  CHECK(has(twin({kernel_file("alone.cu"), "--op", "everything"}).error,
            "there is no op everything; there are vector_add"));
  CHECK(has(twin({"--ops"}).out, "void solve(const float* A, const float* B, float* C, int N)"));
}

}  // namespace
