#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "process_state.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<std::uint64_t> allocations{0};

void count_one() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// Given by the build: this file isn't compiled with the sanitizer's own macros.
#if defined(TORCHLIGHT_SANITIZED)

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
namespace {
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { count_one(); }, [](const volatile void*) {});
}

#else

namespace {
std::atomic<bool> failing{false};
std::atomic<std::uint64_t> left{0};  // allocations that still succeed
std::atomic<std::uint64_t> failures{0};

/// Counts one; whether it is to succeed.
bool may_allocate() {
  count_one();
  if (!failing.load(std::memory_order_relaxed)) return true;
  for (std::uint64_t now = left; now > 0;)
    if (left.compare_exchange_weak(now, now - 1)) return true;
  ++failures;
  errno = ENOMEM;
  return false;
}
}  // namespace

// glibc's own names for the functions that stand behind the ones defined here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) { return may_allocate() ? __libc_malloc(bytes) : nullptr; }
void* calloc(std::size_t n, std::size_t bytes) {
  return may_allocate() ? __libc_calloc(n, bytes) : nullptr;
}
void* realloc(void* p, std::size_t bytes) {
  return may_allocate() ? __libc_realloc(p, bytes) : nullptr;
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return may_allocate() ? __libc_memalign(alignment, bytes) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** p, std::size_t alignment, std::size_t bytes) {
  *p = memalign(alignment, bytes);
  return *p ? 0 : ENOMEM;
}
void free(void* p) { __libc_free(p); }
}

#endif

namespace torchlight::test {

AllocationCounter::AllocationCounter() {
  allocations = 0;
  counting = true;
}
AllocationCounter::~AllocationCounter() { counting = false; }
std::uint64_t AllocationCounter::count() const { return allocations; }

#if !defined(TORCHLIGHT_SANITIZED)

NoMemory::NoMemory(std::uint64_t after) {
  left = after;
  failures = 0;
  failing = true;
}
NoMemory::~NoMemory() { failing = false; }
std::uint64_t NoMemory::failed() const { return failures; }

#endif

}  // namespace torchlight::test
