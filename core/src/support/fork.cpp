#include "support/fork.h"

#include <pthread.h>

#include <array>
#include <atomic>

namespace torchlight {
namespace {

constinit std::mutex list_mutex;
constinit std::array<std::mutex*, 16> list{};
constinit std::size_t count = 0;

void lock_all() {
  list_mutex.lock();
  for (std::size_t i = 0; i < count; ++i) list[i]->lock();
}

void unlock_all() {
  for (std::size_t i = count; i-- > 0;) list[i]->unlock();
  list_mutex.unlock();
}

}  // namespace

void survive_fork(std::mutex& mutex) {
  static const int registered = pthread_atfork(lock_all, unlock_all, unlock_all);
  static_cast<void>(registered);  // fails only for lack of memory: then a fork is as good as elsewhere
  const std::lock_guard lock(list_mutex);
  if (count < list.size()) list[count++] = &mutex;
}

}  // namespace torchlight
