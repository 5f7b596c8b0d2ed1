#include "support/worker_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <climits>

#include "support/floating_mode.h"
#include "support/futex.h"
#include "support/log.h"
#include "support/sanitizers.h"

namespace torchlight::pool {
namespace {

// claim_: the low bits count chunks, the rest counts jobs. 2^44 jobs last for months at one a microsecond.
constexpr unsigned chunk_bits = 20;
constexpr std::uint64_t chunk_mask = (std::uint64_t{1} << chunk_bits) - 1;
constexpr std::uint64_t closed = chunk_mask;  // instead of a chunk: there is no job, or half of one

// More chunks balance better, fewer cost less: this many for each thread where there are enough indices.
constexpr std::uint64_t chunks_per_thread = 32;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// A few microseconds: a sleep and its end cost about as much. True as soon as the condition holds.
template <class Condition> bool spin_until(Condition condition) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::microseconds(5);
  do {
    for (int i = 0; i < 8; ++i) {
      if (condition()) return true;
      relax();
    }
  } while (clock::now() < end);
  return condition();
}

// Signals are for the program's own threads; a thread started meanwhile sees only its own crashes.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
      sigdelset(&signals, own);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

constinit std::atomic<WorkerPool*> the_pool{nullptr};  // for the child of a fork

}  // namespace

WorkerPool::Job WorkerPool::job() const {
  constexpr auto acquire = std::memory_order_acquire;
  return {body_.load(acquire), context_.load(acquire), count_.load(acquire), chunk_.load(acquire),
          floating_mode_.load(acquire)};
}

// The claim is closed first: a worker with the last job's claim in hand would otherwise find more chunks in
// the new job than that one had, and claim one before the job is there. It is opened last: who sees it open
// sees the whole job, which is only replaced after all its chunks are finished.
void WorkerPool::publish(const Job& job) {
  constexpr auto release = std::memory_order_release;
  const std::uint64_t number = (claim_.load(std::memory_order_relaxed) >> chunk_bits) + 1;
  claim_.store(number << chunk_bits | closed, release);
  body_.store(job.body, release);
  context_.store(job.context, release);
  count_.store(job.count, release);
  chunk_.store(job.chunk, release);
  floating_mode_.store(job.floating_mode, release);
  finished_.store(0, std::memory_order_relaxed);
  claim_.store(number << chunk_bits, release);
  jobs_.fetch_add(1);
}

bool WorkerPool::enter(std::uint32_t workers) {
  if (taken_.exchange(true, std::memory_order_acquire)) return false;
  wanted_.store(workers, std::memory_order_relaxed);
  while (may_hire_ && alive_.load() < workers) {
    const std::uint32_t before = alive_.load();
    hire();
    if (alive_.load() <= before) break;
  }
  if (alive_.load() > 0) return true;
  leave();
  return false;
}

void WorkerPool::run(std::uint64_t count, Body body, void* context) {
  const std::uint64_t parts = std::min(count, chunks_per_thread * (wanted_.load() + 1));
  const Job job{body, context, count, count / parts + (count % parts != 0), floating_mode()};
  publish(job);
  wake(2);
  help();
  await_all(job.chunks());
}

// Claims and does chunks until there are none. Whether it did any.
bool WorkerPool::help() {
  bool any = false;
  std::uint64_t claim = claim_.load(std::memory_order_acquire);
  for (;;) {
    const Job job = this->job();
    const std::uint64_t chunk = claim & chunk_mask;
    if (chunk == closed || chunk >= job.chunks()) return any;
    if (!claim_.compare_exchange_weak(claim, claim + 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
      continue;
    if (!any) {
      any = true;
      if (floating_mode() != job.floating_mode) set_floating_mode(job.floating_mode);
      if (chunk > 0 && chunk + 1 < job.chunks()) wake(2);  // each one who comes calls two more
    }
    const std::uint64_t end = std::min(job.count, (chunk + 1) * job.chunk);
    for (std::uint64_t i = chunk * job.chunk; i < end; ++i) job.body(job.context, i);
    finish_one(job.chunks());
    claim = claim_.load(std::memory_order_acquire);
  }
}

void WorkerPool::finish_one(std::uint64_t chunks) {
  const std::uint64_t finished = finished_.fetch_add(1) + 1;
  if (finished == chunks && caller_sleeps_.load()) futex_wake(finished_, 1);
}

void WorkerPool::await_all(std::uint64_t chunks) {
  if (spin_until([&] { return finished_.load(std::memory_order_acquire) == chunks; })) return;
  caller_sleeps_.store(true);
  for (std::uint32_t finished = finished_.load(); finished != chunks; finished = finished_.load())
    futex_wait(finished_, finished);
  caller_sleeps_.store(false, std::memory_order_relaxed);
}

void WorkerPool::wake(int workers) {
  if (sleepers_.load() > 0) futex_wake(jobs_, workers);
}

// ---- workers

void WorkerPool::hire() {
  static const int registered = pthread_atfork(nullptr, nullptr, forked);
  static_cast<void>(registered);
  the_pool.store(this);
  const SignalsBlocked blocked;
  alive_.fetch_add(1);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, work, this) == 0) {
    pthread_setname_np(thread, "torchlight");
    pthread_detach(thread);
  } else {
    alive_.fetch_sub(1);
    static const bool said = (log::warn("thread pool: the system gives no more threads"), true);
    static_cast<void>(said);
  }
}

void* WorkerPool::work(void* pool) {
  static_cast<WorkerPool*>(pool)->serve();
  return nullptr;
}

void WorkerPool::serve() {
  for (;;) {
    const std::uint32_t seen = jobs_.load();
    if (quit()) return;
    const bool worked = help();
    if (worked && spin_until([&] { return jobs_.load(std::memory_order_relaxed) != seen; })) continue;
    sleepers_.fetch_add(1);
    futex_wait(jobs_, seen);
    sleepers_.fetch_sub(1);
  }
}

// Whether this worker is one too many.
bool WorkerPool::quit() {
  std::uint32_t alive = alive_.load();
  while (alive > wanted_.load())
    if (alive_.compare_exchange_weak(alive, alive - 1)) return true;
  return false;
}

void WorkerPool::dismiss(std::uint32_t workers) {
  if (workers >= alive_.load()) return;
  wanted_.store(workers);
  jobs_.fetch_add(1);
  futex_wake(jobs_, INT_MAX);
}

// The child has none of the threads, and whoever had the pool is gone, too.
void WorkerPool::forked() {
  WorkerPool& pool = *the_pool.load();
  pool.alive_ = 0;
  pool.sleepers_ = 0;
  pool.caller_sleeps_ = false;
  pool.chunk_ = 1;
  pool.count_ = 0;
  pool.may_hire_ = !under_thread_sanitizer;
  pool.taken_ = false;
}

}  // namespace torchlight::pool
