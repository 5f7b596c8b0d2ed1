// PTX to machine code, the middle: from a module to the LLVM IR of one of its functions.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/divergence.h"
#include "ptx/module.h"

namespace twin {

struct Options {
  Shape shape;
  bool checks = false;   // every access to memory is looked at first
  bool profile = false;  // what is executed is counted
};

/// Where the variables of shared memory that a kernel may reach stand in a block's, and how much there is of them. What
/// a launch adds comes behind. `apart` leaves gaps, in which an index beyond an array's end falls.
struct SharedLayout {
  std::unordered_map<std::string, int64_t> offsets;
  int64_t bytes = 0;
};
SharedLayout shared_layout_of(const ptx::Module& module, size_t kernel, bool apart = false);

/// Offsets of a kernel's parameters in the launch's buffer, and its length.
std::vector<uint32_t> parameter_offsets(const ptx::Function& kernel, uint32_t* bytes);

/// The functions that a kernel may reach, itself first: those that it calls, and, where it calls through pointers,
/// all that are defined. Indices into Module::functions.
std::vector<size_t> reachable(const ptx::Module& module, size_t kernel);

struct Compiled {
  std::string ir;
  struct Function {
    size_t index;  // into Module::functions
    std::string symbol;
    uint32_t frame_bytes;
    uint32_t results_bytes;
  };
  std::vector<Function> functions;
};

/// The IR of a kernel and all that it reaches. Throws CompileError.
Compiled compile_kernel(const ptx::Module& module, size_t kernel, const Options& options);

}  // namespace twin
