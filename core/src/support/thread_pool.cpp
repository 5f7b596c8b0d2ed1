#include "support/thread_pool.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <string>

#include "support/cpu_limit.h"
#include "support/environment.h"
#include "support/log.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchlight::pool {
namespace {

// Constant-initialised and never destroyed: workers sleep in it until the process is gone.
constinit WorkerPool workers;
constinit std::atomic<std::uint32_t> threads{0};  // 0: not yet asked for
constinit std::once_flag asked;

std::uint32_t wanted_threads() {
  const std::optional<std::string> value = environment::get("TORCHLIGHT_NUM_THREADS");
  const std::uint32_t usable = std::min(usable_cpus(), max_concurrency);
  if (!value) return usable;
  std::uint32_t number = 0;
  const char* end = value->data() + value->size();
  const auto [rest, error] = std::from_chars(value->data(), end, number);
  if (error == std::errc() && rest == end && number >= 1 && number <= max_concurrency) return number;
  log::warn(text("TORCHLIGHT_NUM_THREADS: expected 1 to ", max_concurrency, ", got '", *value,
                 "', using ", usable));
  return usable;
}

void run_here(std::uint64_t count, Body body, void* context) {
  for (std::uint64_t i = 0; i < count; ++i) body(context, i);
}

}  // namespace

std::uint32_t concurrency() {
  const std::uint32_t known = threads.load(std::memory_order_relaxed);
  if (known > 0) return known;
  std::call_once(asked, [] {
    std::uint32_t unset = 0;
    threads.compare_exchange_strong(unset, wanted_threads());
  });
  return threads.load(std::memory_order_relaxed);
}

void set_concurrency(std::uint32_t count) {
  threads.store(std::clamp(count, 1u, max_concurrency), std::memory_order_relaxed);
  workers.dismiss(concurrency() - 1);
}

void run(std::uint64_t count, Body body, void* context) {
  const std::uint32_t others = concurrency() - 1;
  if (count < 2 || others == 0 || !workers.enter(others)) return run_here(count, body, context);
  workers.run(count, body, context);
  workers.leave();
}

}  // namespace torchlight::pool
