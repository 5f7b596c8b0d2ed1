// Whole CUDA programs that judge themselves: right and without a report, however their warps take turns.
#include "programs.h"

#include <doctest/doctest.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "error.h"
#include "runtime/module.h"

namespace {

/// What a program that does something wrong on purpose says must be reported: a line "// reports: TEXT".
std::string expected_report(const std::string& path) {
  const std::string begin = "// reports: ";
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.rfind(begin, 0) == 0) return line.substr(begin.size());
  return {};
}

void check(const std::string& program, const std::vector<std::string>& environment,
           const std::string& expected) {
  const Output output = run({program}, environment);
  CHECK_MESSAGE(output.status == 0, output.text);
  CHECK_MESSAGE(output.text.find("PASS") != std::string::npos, output.text);
  CHECK(output.text.find("FAIL") == std::string::npos);
  for (const std::string& report : output.reports)
    CHECK_MESSAGE((!expected.empty() && report.find(expected) != std::string::npos), report);
  CHECK(output.reports.size() == (expected.empty() ? 0 : 1));
}

/// Instructions that the engine doesn't have, and says so: SIMD video instructions, directed rounding.
const char* const gaps[] = {"vadd.u32.u32.u32.add", "add.rz.f32"};

std::string problem_of(twin::LoadedModule& module, const twin::LoadedKernel& kernel) {
  try {
    module.compiled(kernel, {});
    return {};
  } catch (const twin::CompileError& problem) {
    return problem.what();
  }
}

}  // namespace

TEST_CASE("programs: in the styles that courses teach") {
  for (const std::string& file : sources("kernels", ".cu")) {
    CAPTURE(file);
    std::string program;
    try {
      program = compile_program({file});
    } catch (const twin::CompileError& problem) {
      FAIL_CHECK(std::string(problem.what()));
      continue;
    }
    const std::string expected = expected_report(file);
    check(program, {}, expected);
    check(program, {"TWIN_CHECK=1"}, expected);
    for (int seed = 1; seed <= seeds(); ++seed) {
      CAPTURE(seed);
      const std::string word = "TWIN_SEED=" + std::to_string(seed);
      check(program, {word}, expected);
      check(program, {word, "TWIN_CHECK=1"}, expected);
    }
  }
}

TEST_CASE("programs: a cache of one process alone goes with it") {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "twin-temporary-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()));
  const std::string file = std::string(TEST_SOURCES) + "/kernels/half2_axpy.cu";
  const Output output =
      run({compile_program({file})}, {"TORCHLIGHT_TWIN_CACHE=/proc/torchlight", "TMPDIR=" + folder});
  CHECK_MESSAGE(output.text.find("PASS") != std::string::npos, output.text);
  CHECK(output.text.find("kept for this process alone, in " + folder) != std::string::npos);
  CHECK(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST_CASE("programs: a wrong one says so") {
  // A scan whose offset is one too many, and a sum that forgets its last element.
  const std::string file = std::string(TEST_SOURCES) + "/controls/wrong_sum.cu";
  const Output output = run({compile_program({file})});
  CHECK(output.status == 1);
  CHECK(output.text.find("FAIL") != std::string::npos);
}

TEST_CASE("programs: every name of the surface compiles, down to machine code") {
  for (const std::string& file : sources("surface", ".cu")) {
    CAPTURE(file);
    try {
      const std::string ptx = toolchain().ptx({file, {}, true});
      toolchain().host_object({file, {}, true}, ptx);
      twin::LoadedModule module(ptx, toolchain());
      for (const std::string& kernel : module.kernels()) {
        const std::string problem = problem_of(module, *module.kernel(kernel));
        const auto known = std::find_if(std::begin(gaps), std::end(gaps), [&](const char* gap) {
          return problem.find(gap) != problem.npos;
        });
        CHECK_MESSAGE((problem.empty() || known != std::end(gaps)), problem);
      }
    } catch (const twin::CompileError& problem) {
      FAIL_CHECK(std::string(problem.what()));
    }
  }
}
