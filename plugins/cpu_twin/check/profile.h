// Counts what kernels do, by kernel: nothing here is a time, and nothing is guessed of a GPU's caches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/profiler.h"

namespace twin {

/// Requests of warps to one kind of memory. A request touches `units`: sectors of 32 bytes of global memory, or rounds
/// in which each of 32 banks of shared memory gives one word. `least` is what the same bytes need at best.
struct Traffic {
  uint64_t requests = 0, lanes = 0, units = 0, least = 0;
  Traffic& operator+=(const Traffic& other);
};

enum class Route : uint8_t {
  global_read,
  global_write,
  global_atomic,
  shared_read,
  shared_write,
  shared_atomic,
  own,
  count
};

struct KernelCounts {
  std::string name;
  uint64_t launches = 0, blocks = 0, warps = 0;
  uint64_t instructions = 0, lane_instructions = 0, branches = 0, parted = 0;
  Traffic traffic[static_cast<size_t>(Route::count)];
  // static: of the last launch, and of the kernel's text
  Dim grid, block;
  int64_t static_shared = 0;
  uint64_t dynamic_shared = 0, text_instructions = 0;
  struct OfLine {
    Traffic global, shared;
    uint64_t parted = 0;
  };
  std::map<std::string, OfLine> lines;  // by "file.cu:12"
};

class Profile final : public Profiler {
 public:
  void launch(const LoadedModule& module, const LoadedKernel& kernel, const Launch& launch) override;
  void executed(const Warp& warp, uint32_t instructions, Mask mask, bool branches) override;
  void parted(const Warp& warp, uint32_t line) override;
  void touched(const BlockRunner& runner, const uint64_t* addresses, Mask mask, uint32_t what,
               uint32_t line) override;

  /// All that was counted, a list of kernels in the order of their first launch.
  std::string json() const;

 private:
  KernelCounts::OfLine& at(uint32_t line);

  std::vector<KernelCounts> kernels_;
  size_t now_ = 0;
  const LoadedModule* module_ = nullptr;
  std::map<uint32_t, KernelCounts::OfLine*> places_;  // of the launch at hand
};

/// What one request of a warp touches.
Traffic global_traffic(const uint64_t* addresses, Mask mask, uint32_t bytes);
Traffic shared_traffic(const uint64_t* addresses, Mask mask, uint32_t bytes);

}  // namespace twin
