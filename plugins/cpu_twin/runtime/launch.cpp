#include "runtime/launch.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "check/checker.h"
#include "engine/ir.h"
#include "runtime/profiler.h"
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

/// How many rows of threads a warp is made of, where it is whole rows.
unsigned rows_of(Dim block) {
  if (block.x % lanes == 0 || (block.y == 1 && block.z == 1)) return 1;
  return block.x == 16 ? 2 : block.x == 8 ? 4 : 0;
}

}  // namespace

std::string text_of(const Report& report) {
  if (report.trouble.kind == Trouble::Kind::none) return {};
  const auto dim = [](Dim d) { return cat("(", d.x, ",", d.y, ",", d.z, ")"); };
  return cat(report.place.empty() ? "" : report.place + ": ", report.trouble.text, " [kernel ",
             report.kernel, ", block ", dim(report.trouble.block), ", thread ",
             dim(report.trouble.thread), "]");
}

Report run_launch(LoadedModule& module, const LoadedKernel& loaded, const Launch& launch,
                  const Manner& manner) {
  Options options;
  options.shape.rows = rows_of(launch.block);
  options.checks = manner.checker != nullptr;
  options.profile = manner.profiler != nullptr;
  const Kernel kernel = module.compiled(loaded, options);

  Grid grid{};
  const auto copy = [](int32_t(&to)[3], Dim from) {
    to[0] = static_cast<int32_t>(from.x), to[1] = static_cast<int32_t>(from.y),
    to[2] = static_cast<int32_t>(from.z);
  };
  copy(grid.ntid, launch.block);
  copy(grid.nctaid, launch.grid);
  grid.dynamic_shared = launch.dynamic_shared;
  grid.parameters = launch.parameters;
  grid.variables = module.variables();
  grid.functions = module.handles();
  grid.services = &services();

  if (manner.profiler) manner.profiler->launch(module, loaded, launch);
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
  const auto note = [&](const BlockRunner& runner, BlockRunner::Outcome outcome, uint64_t at) {
    const std::lock_guard guard(lock);
    if (stopped.exchange(true)) return;
    first.trouble = runner.trouble();
    if (outcome == BlockRunner::Outcome::at_grid_barrier)
      first.trouble = {Trouble::Kind::barrier,
                       "a barrier of the whole grid in a launch that isn't cooperative",
                       0,
                       block_at(at, launch.grid),
                       {}};
    else if (first.trouble.kind == Trouble::Kind::none)
      first.trouble = {Trouble::Kind::endless,
                       "stopped: it ran longer than it may",
                       0,
                       block_at(at, launch.grid),
                       {}};
    first.kernel = kernel.name;
    first.place = module.place(first.trouble.line);
  };
  const auto judge = [&](BlockRunner& runner, BlockRunner::Outcome& outcome) {
    if (!manner.checker || outcome == BlockRunner::Outcome::at_grid_barrier) return;
    if (!manner.checker->end_block(runner)) outcome = BlockRunner::Outcome::trouble;
  };
  /// All blocks at once on this thread, each as far as it gets.
  const auto work_together = [&] {
    std::deque<BlockRunner> runners;
    std::vector<uint64_t> going(blocks);
    std::vector<Checker::Block> known(manner.checker ? blocks : 0);
    for (uint64_t at = 0; at < blocks; ++at) {
      runners.emplace_back(kernel, grid, launch.block, manner.schedule)
          .begin(block_at(at, launch.grid));
      runners.back().count_for(manner.profiler);
      going[at] = at;
    }
    while (!going.empty()) {
      std::vector<uint64_t> waiting;
      for (const uint64_t at : going) {
        if (manner.checker && runners[at].observer())
          manner.checker->go_on(runners[at], at, std::move(known[at]));
        else if (manner.checker)
          manner.checker->enter(runners[at]), manner.checker->begin_block(runners[at], at);
        BlockRunner::Outcome outcome = runners[at].run(in_time);
        judge(runners[at], outcome);
        if (manner.checker) known[at] = manner.checker->set_aside();
        if (outcome == BlockRunner::Outcome::trouble || !in_time())
          return note(runners[at], outcome, at);
        if (outcome == BlockRunner::Outcome::at_grid_barrier) waiting.push_back(at);
      }
      if (!waiting.empty() && waiting.size() < going.size()) {
        stopped = true;
        first.trouble.kind = Trouble::Kind::barrier;
        first.trouble.text = "a barrier of the whole grid that some blocks never reach";
        first.trouble.block = block_at(waiting[0], launch.grid);
        first.kernel = kernel.name;
        return;
      }
      going = std::move(waiting);
    }
  };
  const auto work = [&](uint64_t) {
    if (next.load(std::memory_order_relaxed) >= blocks) return;
    BlockRunner runner(kernel, grid, launch.block, manner.schedule);
    runner.count_for(manner.profiler);
    if (manner.checker) manner.checker->enter(runner);
    for (;;) {
      const uint64_t at = next.fetch_add(1, std::memory_order_relaxed);
      if (at >= blocks || stopped.load(std::memory_order_relaxed)) break;
      if (manner.checker) manner.checker->begin_block(runner, at);
      runner.begin(block_at(at, launch.grid));
      BlockRunner::Outcome outcome = runner.run(in_time);
      judge(runner, outcome);
      if (outcome == BlockRunner::Outcome::done && in_time()) continue;
      note(runner, outcome, at);
      break;
    }
    if (manner.checker) manner.checker->leave(runner);
  };
  // One thread after another keeps small grids cheap and checked ones repeatable.
  const bool alone = blocks == 1 || manner.checker || manner.profiler;
  if (launch.cooperative)
    work_together();
  else if (alone)
    work(0);
  else if (manner.parallel)
    manner.parallel(std::min<uint64_t>(blocks, 256), work);
  else
    on_own_threads(std::min<uint64_t>(blocks, std::max(1U, std::thread::hardware_concurrency())), work);
  return first;
}

}  // namespace twin
