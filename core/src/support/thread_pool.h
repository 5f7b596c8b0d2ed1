#pragma once

#include <cstdint>

/// The process's one thread pool. The caller works, too; workers claim chunks from a shared counter, so
/// that a caller never waits for a worker that hasn't started: with busy neighbours nothing is slower
/// than one thread. Idle workers spin for some microseconds and then sleep on a futex.
namespace torchlight::pool {

/// Called once for each index. Must not throw.
using Body = void (*)(void* context, std::uint64_t index) noexcept;

/// Threads that may work at once, the caller included: TORCHLIGHT_NUM_THREADS, else as many as the
/// process may use (affinity mask and cgroup quota).
std::uint32_t concurrency();
/// From 1 to max_concurrency; others count as the nearer of the two. Holds from the next run on.
void set_concurrency(std::uint32_t threads);
inline constexpr std::uint32_t max_concurrency = 1024;

/// body(context, 0 … count-1) in any order, on any of the threads; returns when all are done. A nested
/// call and a call while another thread has the pool run in the calling thread: same results, no waiting.
/// Workers compute under the caller's rounding and denormal mode. A forked child gets workers of its own.
void run(std::uint64_t count, Body body, void* context);

/// The same for a callable: parallel(n, [&](std::uint64_t i) noexcept { … }).
template <class F> void parallel(std::uint64_t count, F&& f) {
  run(
      count, [](void* context, std::uint64_t i) noexcept { (*static_cast<F*>(context))(i); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace torchlight::pool
