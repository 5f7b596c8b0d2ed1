#include "autograd/mode.h"

#include <atomic>
#include <utility>

namespace torchlight::autograd {
namespace {
thread_local bool recording = true;
std::atomic<std::uint64_t> sequence{0};
}  // namespace

bool is_recording() { return recording; }
bool set_recording(bool on) { return std::exchange(recording, on); }
std::uint64_t next_sequence() { return sequence.fetch_add(1, std::memory_order_relaxed) + 1; }

}  // namespace torchlight::autograd
