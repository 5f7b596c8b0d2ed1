// A launch: all blocks of a grid, over the cores.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "runtime/module.h"

namespace twin {

struct Launch {
  Dim grid, block;
  uint32_t dynamic_shared = 0;
  const char* parameters = nullptr;
  bool cooperative = false;  // its blocks may wait for each other
};

/// Calls body(i) for i in 0 … count-1 from as many threads as are good.
using Parallel = std::function<void(uint64_t count, const std::function<void(uint64_t)>& body)>;

class Checker;
class Profiler;

/// How launches are done, for all of a process.
struct Manner {
  Parallel parallel;  // empty: on threads of its own
  Schedule schedule;
  Checker* checker = nullptr;          // looks at every access to memory
  Profiler* profiler = nullptr;        // counts what is done
  std::chrono::milliseconds limit{0};  // of one launch; 0: none
};

/// The bounds of a block, as the CUDA device of sm_75 and later that the twin stands for has them.
constexpr uint32_t max_block_threads = 1024;
constexpr uint32_t max_shared_bytes = 48 * 1024;  // without asking
constexpr uint32_t max_shared_optin_bytes = 227 * 1024;

/// What went wrong in a launch, if anything did.
struct Report {
  Trouble trouble;
  std::string kernel, place;
};
/// In one line: place, what, kernel, block and thread. Empty where nothing did.
std::string text_of(const Report& report);

/// Runs a launch to its end.
Report run_launch(LoadedModule& module, const LoadedKernel& kernel, const Launch& launch,
                  const Manner& manner);

}  // namespace twin
