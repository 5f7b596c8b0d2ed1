#include "loader/turn.h"

#include <mutex>
#include <thread>

#include <torchlight/error.h>

#include "loader/fork_guard.h"
#include "support/text.h"

namespace torchlight::loader {

void Turn::take(const std::string& who) {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  // Naps, since a condition variable doesn't survive a fork. Waiting is rare: at first use only.
  while (!try_take(who)) {
    if (std::chrono::steady_clock::now() > deadline)
      throw DeviceError(
          text(who,
               ": gave up waiting for another thread that is opening it. Does that thread wait for "
               "this one, perhaps since this one is in the constructor of a shared library?"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool Turn::try_take(const std::string& who) {
  const std::uint32_t generation = process_generation();
  const std::lock_guard lock(state_mutex());
  if (taken_ && generation_ != generation)
    throw DeviceError(
        text(who,
             ": the process was forked while another thread was opening it; start worker processes "
             "by spawn or exec"));
  if (taken_) return false;
  taken_ = true;
  generation_ = generation;
  return true;
}

void Turn::give_back() {
  const std::lock_guard lock(state_mutex());
  taken_ = false;
}

}  // namespace torchlight::loader
