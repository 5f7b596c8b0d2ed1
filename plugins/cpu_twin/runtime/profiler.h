// Who counts what kernels do: told of every block of instructions, every branch that parts and every access.
#pragma once

#include <cstdint>

#include "runtime/block.h"

namespace twin {

class LoadedModule;
struct LoadedKernel;
struct Launch;

/// Launches that are counted run on one thread, one block after another.
class Profiler {
 public:
  virtual ~Profiler() = default;
  virtual void launch(const LoadedModule& module, const LoadedKernel& kernel, const Launch& launch) = 0;
  /// A warp goes through `instructions` of PTX with the lanes of a mask; `branches`: the last one chooses a way.
  virtual void executed(const Warp& warp, uint32_t instructions, Mask mask, bool branches) = 0;
  /// Lanes of a warp go two ways.
  virtual void parted(const Warp& warp, uint32_t line) = 0;
  /// `what` as in Services::access.
  virtual void touched(const BlockRunner& runner, const uint64_t* addresses, Mask mask, uint32_t what,
                       uint32_t line) = 0;
};

}  // namespace twin
