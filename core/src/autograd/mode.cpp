#include "autograd/mode.h"

#include <atomic>
#include <utility>

#include <torchlight/autograd.h>

namespace torchlight {
namespace autograd {
namespace {
thread_local bool recording = true;
std::atomic<std::uint64_t> sequence{0};
}  // namespace

bool is_recording() { return recording; }
bool set_recording(bool on) { return std::exchange(recording, on); }
std::uint64_t next_sequence() { return sequence.fetch_add(1, std::memory_order_relaxed) + 1; }

}  // namespace autograd

no_grad::no_grad(bool off) : before_(autograd::set_recording(!off && autograd::is_recording())) {}
no_grad::~no_grad() { autograd::set_recording(before_); }

bool is_grad_enabled() { return autograd::is_recording(); }

}  // namespace torchlight
