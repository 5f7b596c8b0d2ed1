#pragma once

#include <atomic>
#include <cstdint>

#include "support/thread_pool.h"

namespace torchlight::pool {

/// The threads behind thread_pool.h, and the one job they and its caller share at a time.
///
/// A job is cut into chunks of consecutive indices. `claim_` holds which job it is and the next chunk
/// that nobody has: whoever raises it by one has that chunk. A worker that comes late, or never, holds
/// nothing and is waited for by nobody; the caller waits only for chunks that others have claimed.
///
/// All members are atomic, so that a late worker may look at a job that is being replaced. It can't claim
/// anything then: `claim_` is closed before the first member of the job changes, and whoever saw one
/// changed sees that, too.
class WorkerPool {
 public:
  /// Takes the pool for the calling thread, with this many workers. False if another thread has it, or
  /// there can be no workers.
  bool enter(std::uint32_t workers);
  /// By whoever entered: the job, done when it returns.
  void run(std::uint64_t count, Body body, void* context);
  void leave() { taken_.store(false, std::memory_order_release); }

  /// Lets workers beyond this number end.
  void dismiss(std::uint32_t workers);

 private:
  struct Job {
    Body body;
    void* context;
    std::uint64_t count;
    std::uint64_t chunk;  // indices in one, but for the last
    std::uint64_t floating_mode;
    std::uint64_t chunks() const { return count / chunk + (count % chunk != 0); }
  };
  void publish(const Job& job);
  Job job() const;

  void hire();
  static void* work(void* pool);
  void serve();
  bool help();
  void finish_one(std::uint64_t chunks);
  void await_all(std::uint64_t chunks);
  bool quit();
  void wake(int workers);
  static void forked();

  std::atomic<bool> taken_{false};
  std::atomic<bool> may_hire_{true};
  std::atomic<std::uint32_t> wanted_{0};  // workers
  std::atomic<std::uint32_t> alive_{0};
  std::atomic<std::uint32_t> jobs_{0};  // how often there was something new: what workers sleep on
  std::atomic<std::uint32_t> sleepers_{0};

  alignas(64) std::atomic<std::uint64_t> claim_{0};
  alignas(64) std::atomic<std::uint32_t> finished_{0};  // chunks; what the caller sleeps on
  std::atomic<bool> caller_sleeps_{false};

  alignas(64) std::atomic<Body> body_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> chunk_{1};
  std::atomic<std::uint64_t> floating_mode_{0};
};

}  // namespace torchlight::pool
