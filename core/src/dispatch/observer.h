#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

#include "dispatch/run.h"

namespace torchlight {
class Storage;
class TensorImpl;
}  // namespace torchlight

namespace torchlight::dispatch {

/// Watches what the thread that made it computes, as long as it lives. Observers nest; each is told
/// everything. With none in the process all of this costs one relaxed load at each place.
class Observer {
 public:
  using Clock = std::chrono::steady_clock;

  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// A call was done, by the device or for it, and what it wrote is there. Calls within it are not told.
  virtual void ran(OpenDevice& device, const Call& call, Clock::time_point begin,
                   Clock::time_point end) = 0;
  /// Bytes came from the host's memory, or went there.
  virtual void copied_in(OpenDevice& device, const tl_memory& to, const void* from,
                         std::size_t bytes) = 0;
  virtual void copied_out(OpenDevice& device, void* to, const tl_memory& from, std::size_t bytes) = 0;
  /// Memory was taken for something new, or is nobody's any more.
  virtual void allocated(OpenDevice& device, const tl_memory& memory, std::size_t bytes) = 0;
  virtual void released(const tl_memory& memory) noexcept = 0;

  // Things of stations that come before this one, which passes on what it doesn't know.
  virtual void met(Storage& storage) = 0;    ///< an array in it becomes an operand
  virtual void met(TensorImpl& tensor) = 0;  ///< it is an operation's input, or changed in place

  Observer* outer() const { return outer_; }

 protected:
  Observer();
  ~Observer();

 private:
  Observer* outer_;
};

extern std::atomic<int> observer_count;  ///< of all threads
#ifdef TORCHLIGHT_UNOBSERVED  // for tools/bench/unobserved, which measures what the check costs
constexpr bool is_observed() { return false; }
#else
inline bool is_observed() { return observer_count.load(std::memory_order_relaxed) != 0; }
#endif

/// This thread's innermost one; null where there is none, or where a call is going on.
Observer* innermost_observer();

/// Calls `event` for each observer of this thread. To be asked first: is_observed().
template <class F> void tell(F&& event) {
  for (Observer* observer = innermost_observer(); observer; observer = observer->outer())
    event(*observer);
}

/// While it lives nothing is told: what a call consists of is no event of its own.
class Muted {
 public:
  Muted();
  ~Muted();
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

 private:
  Observer* before_;
};

}  // namespace torchlight::dispatch
