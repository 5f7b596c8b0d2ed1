#include "runtime/launch.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "check/checker.h"
#include "engine/ir.h"
#include "runtime/services.h"

namespace twin {
namespace {

/// Threads that are made for one launch: a program that runs kernels alone has no pool.
void on_own_threads(uint64_t count, const std::function<void(uint64_t)>& body) {
  const uint64_t threads = std::min<uint64_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> others;
  for (uint64_t k = 1; k < threads; ++k) others.emplace_back([&body, k] { body(k); });
  body(0);
  for (std::thread& thread : others) thread.join();
  for (uint64_t k = threads; k < count; ++k) body(k);
}

Dim block_at(uint64_t index, Dim grid) {
  return {static_cast<uint32_t>(index % grid.x), static_cast<uint32_t>(index / grid.x % grid.y),
          static_cast<uint32_t>(index / grid.x / grid.y)};
}

bool lies_along_x(Dim block) { return block.x % lanes == 0 || (block.y == 1 && block.z == 1); }

}  // namespace

std::string text_of(const Report& report) {
  const auto dim = [](Dim d) { return cat("(", d.x, ",", d.y, ",", d.z, ")"); };
  return cat(report.place.empty() ? "" : report.place + ": ", report.trouble.text, " [kernel ", report.kernel, ", block ",
             dim(report.trouble.block), ", thread ", dim(report.trouble.thread), "]");
}

std::string run_launch(LoadedModule& module, const LoadedKernel& loaded, const Launch& launch, const Manner& manner) {
  Options options;
  options.shape.warps_along_x = lies_along_x(launch.block);
  options.checks = manner.checker != nullptr;
  const Kernel kernel = module.compiled(loaded, options);

  Grid grid{};
  const auto copy = [](int32_t (&to)[3], Dim from) {
    to[0] = static_cast<int32_t>(from.x), to[1] = static_cast<int32_t>(from.y), to[2] = static_cast<int32_t>(from.z);
  };
  copy(grid.ntid, launch.block);
  copy(grid.nctaid, launch.grid);
  grid.dynamic_shared = launch.dynamic_shared;
  grid.parameters = launch.parameters;
  grid.variables = module.variables();
  grid.functions = kernel.functions;
  grid.services = &services();

  const uint64_t blocks = launch.grid.count();
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex lock;
  Report first;
  const auto in_time = [&] {
    if (stopped.load(std::memory_order_relaxed)) return false;
    return manner.limit.count() == 0 || std::chrono::steady_clock::now() - begin < manner.limit;
  };
  const auto work = [&](uint64_t) {
    if (next.load(std::memory_order_relaxed) >= blocks) return;
    BlockRunner runner(kernel, grid, launch.block, manner.schedule);
    if (manner.checker) manner.checker->enter(runner);
    for (;;) {
      const uint64_t at = next.fetch_add(1, std::memory_order_relaxed);
      if (at >= blocks || stopped.load(std::memory_order_relaxed)) break;
      if (manner.checker) manner.checker->begin_block(runner, at);
      bool fine = runner.run(block_at(at, launch.grid), in_time);
      if (fine && !in_time()) fine = false;
      if (fine) continue;
      const std::lock_guard guard(lock);
      if (!stopped.exchange(true)) {
        first.trouble = runner.trouble();
        if (first.trouble.kind == Trouble::Kind::none)
          first.trouble = {Trouble::Kind::endless, "stopped: it ran longer than it may", 0, block_at(at, launch.grid), {}};
        first.kernel = kernel.name;
        first.place = module.place(first.trouble.line);
      }
      break;
    }
    if (manner.checker) manner.checker->leave(runner);
  };
  // One thread after another keeps small grids cheap and checked ones repeatable.
  const bool alone = blocks == 1 || manner.checker;
  if (alone) work(0);
  else if (manner.parallel) manner.parallel(std::min<uint64_t>(blocks, 256), work);
  else on_own_threads(std::min<uint64_t>(blocks, std::max(1U, std::thread::hardware_concurrency())), work);
  return stopped ? text_of(first) : std::string();
}

}  // namespace twin
