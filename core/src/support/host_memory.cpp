#include "support/host_memory.h"

#include <torchlight/error.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "support/fork.h"
#include "support/sanitizers.h"
#include "support/system_memory.h"
#include "support/text.h"
#include "support/thread_cache.h"

namespace torchlight::host_memory {
namespace {

// Everything here is constant-initialised and never destroyed: tensors are released until the very end.
constinit BlockStore store;

// The process's counts. Threads add to them now and then, statistics() looks at the rest.
constinit std::atomic<std::int64_t> in_use{0};
constinit std::atomic<std::int64_t> peak{0};
constinit std::atomic<std::uint64_t> allocations{0};
constinit std::atomic<std::uint64_t> reused{0};

constinit std::mutex threads_mutex;
constinit ThreadCache* threads = nullptr;  // the first of all
constinit thread_local ThreadCache* own [[gnu::tls_model("initial-exec")]] = nullptr;
constinit thread_local bool thread_ends = false;

// When the library is loaded: whatever a thread does first with the store, a fork waits until it is done.
[[maybe_unused]] const bool forks_wait =
    (survive_fork(threads_mutex), survive_fork(store.mutex()), true);

constexpr std::int64_t report_from = 16 << 10;
constexpr std::int64_t always_kept = std::int64_t{64} << 20;

void add_in_use(std::int64_t bytes) noexcept {
  const std::int64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t highest = peak.load(std::memory_order_relaxed);
  while (now > highest && !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed)) {
  }
}

void note_in_use(ThreadCache& cache, std::int64_t bytes) noexcept {
  cache.in_use.add(bytes);
  if (std::abs(cache.in_use.get()) > report_from) add_in_use(cache.in_use.exchange(0));
}

void retire(ThreadCache* cache) noexcept {
  cache->empty_into(store);
  const std::lock_guard lock(threads_mutex);
  add_in_use(cache->in_use.get());
  allocations += cache->allocations.get();
  reused += cache->reused.get();
  (cache->previous ? cache->previous->next : threads) = cache->next;
  if (cache->next) cache->next->previous = cache->previous;
  delete cache;
}

// Its destructor runs when the thread ends; what other thread_locals release after that is shared at once.
struct AtThreadEnd {
  bool armed = false;
  ~AtThreadEnd() {
    thread_ends = true;
    if (ThreadCache* cache = std::exchange(own, nullptr)) retire(cache);
  }
};
thread_local AtThreadEnd at_thread_end;

// NULL for a thread that is ending, and where there isn't even memory for this.
ThreadCache* own_cache() noexcept {
  if (own || thread_ends || under_address_sanitizer) return own;
  auto* fresh = new (std::nothrow) ThreadCache;
  if (!fresh) return nullptr;
  at_thread_end.armed = true;  // the first use makes the destructor run
  const std::lock_guard lock(threads_mutex);
  fresh->next = threads;
  if (threads) threads->previous = fresh;
  return own = threads = fresh;
}

// What is handed out and what is kept stay together below five quarters of the most that was ever handed
// out, or 64 MiB: a training step finds all its blocks again, and changing sizes don't pile up.
void make_room(std::size_t size) noexcept {
  const auto wanted = static_cast<std::int64_t>(size);
  const std::int64_t used = in_use.load(std::memory_order_relaxed) + wanted;
  const std::int64_t most = std::max(used, peak.load(std::memory_order_relaxed));
  const std::int64_t limit = std::max(always_kept, most + most / 4) - used;
  store.shrink(static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 0)));
}

void* from_system(std::size_t bytes) noexcept {
  if constexpr (under_address_sanitizer) {
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
  }
  const std::size_t size = class_size(class_of(bytes));
  make_room(size);
  if (void* memory = take_from_system(size)) return memory;
  trim();
  return take_from_system(size);
}

constexpr std::size_t largest = under_address_sanitizer ? std::size_t{1} << 38 : largest_block;

[[noreturn]] void fail(std::size_t bytes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  throw Error(text("out of memory: no ", bytes, " bytes (", bytes / mebibyte, " MiB) on the host, ",
                   statistics().in_use / mebibyte, " MiB are in use"));
}

void count_allocation(ThreadCache* cache, std::size_t size, bool again) noexcept {
  if (cache) {
    cache->allocations.add(1);
    cache->reused.add(again);
    note_in_use(*cache, static_cast<std::int64_t>(size));
  } else {
    allocations.fetch_add(1, std::memory_order_relaxed);
    reused.fetch_add(again, std::memory_order_relaxed);
    add_in_use(static_cast<std::int64_t>(size));
  }
}

void* allocate_slowly(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > largest) fail(bytes);
  ThreadCache* cache = own_cache();
  const unsigned size_class = class_of(bytes);
  void* memory = store.take(size_class);
  const bool again = memory != nullptr;
  if (!memory) memory = from_system(bytes);
  if (!memory) fail(bytes);
  count_allocation(cache, class_size(size_class), again);
  return memory;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (ThreadCache* cache = own; cache && bytes - 1 < small_limit) {
    const unsigned size_class = class_of(bytes);
    if (Block* block = cache->take(size_class)) {
      count_allocation(cache, class_size(size_class), true);
      return block;
    }
  }
  return allocate_slowly(bytes);
}

void release(void* memory, std::size_t bytes) noexcept {
  if (!memory) return;
  const unsigned size_class = class_of(bytes);
  const auto size = static_cast<std::int64_t>(class_size(size_class));
  ThreadCache* cache = own_cache();
  if (cache)
    note_in_use(*cache, -size);
  else
    add_in_use(-size);
  if constexpr (under_address_sanitizer) return std::free(memory);
  auto* block = new (memory) Block{nullptr};
  if (!cache || size_class >= small_classes || !cache->put(size_class, block))
    store.put(size_class, block);
}

void trim() noexcept {
  if (own) own->empty_into(store);
  store.shrink(0);
}

Statistics statistics() {
  const std::uint64_t stored = store.bytes();
  const std::lock_guard lock(threads_mutex);
  std::int64_t used = in_use.load();
  Statistics result{.cached = stored, .allocations = allocations.load(), .reused = reused.load()};
  for (const ThreadCache* thread = threads; thread; thread = thread->next) {
    used += thread->in_use.get();
    result.cached += thread->bytes.get();
    result.allocations += thread->allocations.get();
    result.reused += thread->reused.get();
  }
  result.in_use = static_cast<std::uint64_t>(std::max<std::int64_t>(used, 0));
  result.peak = std::max(result.in_use, static_cast<std::uint64_t>(peak.load()));
  return result;
}

}  // namespace torchlight::host_memory
