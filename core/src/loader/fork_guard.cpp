#include "loader/fork_guard.h"

#include <pthread.h>

#include <atomic>

#include "support/fork.h"

namespace torchlight::loader {
namespace {

constinit std::mutex mutex;
constinit std::atomic<std::uint32_t> generation{0};

void watch_forks() {
  static const bool watching = [] {
    survive_fork(mutex);
    return pthread_atfork(nullptr, nullptr,
                          [] { generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
  }();
  static_cast<void>(watching);
}

}  // namespace

std::uint32_t process_generation() {
  watch_forks();
  return generation.load(std::memory_order_relaxed);
}

std::mutex& state_mutex() {
  watch_forks();
  return mutex;
}

}  // namespace torchlight::loader
