// What the engine makes of random kernels against an interpreter of the same PTX that knows no warps.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "check/checker.h"
#include "divergence/generator.h"
#include "error.h"
#include "programs.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "scalar/interpreter.h"

namespace {

constexpr int kernels_a_file = 12;

std::vector<uint32_t> inputs(uint64_t seed) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  std::vector<uint32_t> words(divergence::words);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random()) >> random() % 32;
  return words;
}

/// The generated file, where a failure can be looked at.
std::string written(uint64_t seed) {
  const std::string folder = std::string(TWIN_CACHE) + "-generated";
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/" + std::to_string(seed) + ".cu";
  std::ofstream(path) << divergence::source(seed, kernels_a_file);
  return path;
}

struct Device {
  explicit Device(size_t bytes)
      : pointer(twin::Memory::of_process().allocate(bytes, twin::MemoryKind::device)) {}
  ~Device() { twin::Memory::of_process().release(pointer); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  void* pointer;
};

/// How many words differ between the engine's results and the interpreter's.
int differences(twin::LoadedModule& module, const std::string& kernel, uint64_t seed,
                scalar::Wrong wrong, uint64_t schedule, twin::Checker* checker = nullptr) {
  // In memory that the twin knows, for the checker's sake.
  const std::vector<uint32_t> given = inputs(seed);
  const size_t bytes = given.size() * sizeof given[0];
  const Device device_in(bytes), device_out(bytes);
  std::memcpy(device_in.pointer, given.data(), bytes);
  std::memset(device_out.pointer, 0, bytes);
  auto* const in = static_cast<uint32_t*>(device_in.pointer);
  auto* const got = static_cast<uint32_t*>(device_out.pointer);
  std::vector<uint32_t> wanted(given.size());
  const uint32_t n = static_cast<uint32_t>(seed * 2654435761U >> 7) % 64;
  const twin::Dim grid{divergence::blocks, 1, 1}, block{divergence::threads, 1, 1};
  scalar::Interpreter interpreter(module, kernel, wrong);
  interpreter.run(grid, block,
                  {reinterpret_cast<uint64_t>(in), reinterpret_cast<uint64_t>(wanted.data()), n});
  std::vector<uint64_t> parameters(600);
  parameters[0] = reinterpret_cast<uint64_t>(in), parameters[1] = reinterpret_cast<uint64_t>(got),
  parameters[2] = n;
  twin::Manner manner;
  manner.schedule.seed = schedule;
  manner.checker = checker;
  const twin::Launch launch{grid, block, 0, reinterpret_cast<const char*>(parameters.data()), false};
  const std::string trouble = text_of(run_launch(module, *module.kernel(kernel), launch, manner));
  CHECK(trouble == "");
  int count = 0;
  for (size_t k = 0; k < given.size(); ++k) count += got[k] != wanted[k];
  return count;
}

void check_file(uint64_t seed, bool optimise) {
  const std::string path = written(seed);
  CAPTURE(path);
  CAPTURE(optimise);
  // How clang compiles what the engine makes isn't in question: most of it quickly.
  toolchain().level = seed == 1 ? 2 : 0;
  try {
    twin::LoadedModule module(toolchain().ptx({path, {}, optimise}), toolchain());
    for (const std::string& kernel : module.kernels()) {
      CAPTURE(kernel);
      CHECK(differences(module, kernel, seed, scalar::Wrong::none, 0) == 0);
      CHECK(differences(module, kernel, seed + 1, scalar::Wrong::none, 5) == 0);
    }
  } catch (const std::exception& problem) {
    FAIL_CHECK(std::string(problem.what()));
  }
}

uint64_t files() {
  const char* set = std::getenv("TWIN_DIVERGENCE_FILES");
  return set ? std::strtoull(set, nullptr, 10) : 20;
}

}  // namespace

TEST_CASE("divergence: optimised kernels do what their threads do alone") {
  for (uint64_t seed = 1; seed <= files(); ++seed) check_file(seed, true);
}

TEST_CASE("divergence: kernels as they are written do, too") {
  for (uint64_t seed = 1; seed <= (files() + 2) / 3; ++seed) check_file(seed, false);
}

TEST_CASE("divergence: none of them is reported") {
  twin::Checker checker;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    toolchain().level = 0;
    twin::LoadedModule module(toolchain().ptx({written(seed), {}, true}), toolchain());
    for (const std::string& kernel : module.kernels()) {
      CAPTURE(kernel);
      checker.use(&module, module.kernel(kernel)->index);
      checker.begin_launch(true);
      CHECK(differences(module, kernel, seed, scalar::Wrong::none, 0, &checker) == 0);
    }
  }
}

TEST_CASE("divergence: an interpreter with one wrong rule is noticed") {
  twin::LoadedModule module(toolchain().ptx({written(1), {}, true}), toolchain());
  for (const scalar::Wrong wrong :
       {scalar::Wrong::branch_inverted_once, scalar::Wrong::shuffle_from_neighbour}) {
    int noticed = 0;
    for (const std::string& kernel : module.kernels()) {
      try {
        noticed += differences(module, kernel, 1, wrong, 0) > 0;
      } catch (const scalar::Unknown&) {
        ++noticed;
      }
    }
    CHECK(noticed > 0);
  }
}
