#include "dispatch/observer.h"

#include <utility>

namespace torchlight::dispatch {
namespace {
thread_local Observer* innermost = nullptr;
}  // namespace

std::atomic<int> observer_count{0};

Observer* innermost_observer() { return innermost; }

Observer::Observer() : outer_(std::exchange(innermost, this)) {
  observer_count.fetch_add(1, std::memory_order_relaxed);
}
Observer::~Observer() {
  innermost = outer_;
  observer_count.fetch_sub(1, std::memory_order_relaxed);
}

Muted::Muted() : before_(std::exchange(innermost, nullptr)) {}
Muted::~Muted() { innermost = before_; }

}  // namespace torchlight::dispatch
