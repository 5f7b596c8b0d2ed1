// Whole CUDA programs that judge themselves: right and without a report, however their warps take turns.
#include "programs.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "error.h"

namespace {

void check(const std::string& program, const std::vector<std::string>& environment) {
  const Output output = run({program}, environment);
  CHECK_MESSAGE(output.status == 0, output.text);
  CHECK_MESSAGE(output.text.find("PASS") != std::string::npos, output.text);
  CHECK(output.text.find("FAIL") == std::string::npos);
  for (const std::string& report : output.reports) FAIL_CHECK(report);
}

}  // namespace

TEST_CASE("programs: in the styles that courses teach") {
  for (const std::string& file : sources("kernels", ".cu")) {
    CAPTURE(file);
    std::string program;
    try {
      program = compile_program({file});
    } catch (const twin::CompileError& problem) {
      FAIL_CHECK(problem.what());
      continue;
    }
    check(program, {});
    check(program, {"TORCHLIGHT_TWIN_CHECK=1"});
    for (int seed = 1; seed <= 8; ++seed) {
      CAPTURE(seed);
      const std::string word = "TORCHLIGHT_TWIN_SEED=" + std::to_string(seed);
      check(program, {word});
      check(program, {word, "TORCHLIGHT_TWIN_CHECK=1"});
    }
  }
}

TEST_CASE("programs: a wrong one says so") {
  // A scan whose offset is one too many, and a sum that forgets its last element.
  const std::string file = std::string(TEST_SOURCES) + "/controls/wrong_sum.cu";
  const Output output = run({compile_program({file})});
  CHECK(output.status == 1);
  CHECK(output.text.find("FAIL") != std::string::npos);
}

TEST_CASE("programs: every name of the surface compiles") {
  for (const std::string& file : sources("surface", ".cu")) {
    CAPTURE(file);
    try {
      compile_program({file, std::string(TEST_SOURCES) + "/controls/empty_main.cu"});
    } catch (const twin::CompileError& problem) {
      FAIL_CHECK(problem.what());
    }
  }
}
