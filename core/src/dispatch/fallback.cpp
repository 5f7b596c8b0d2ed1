#include "dispatch/fallback.h"

#include <memory>
#include <vector>

#include <torchlight/error.h>

#include "dispatch/args.h"
#include "dispatch/memory.h"
#include "loader/registry.h"
#include "support/environment.h"
#include "support/host_memory.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::dispatch {
namespace {

enum class Policy { error, warn, allow };

Policy policy() {
  static const Policy chosen = [] {
    const std::string value = environment::get("TORCHLIGHT_FALLBACK").value_or("warn");
    if (value == "error") return Policy::error;
    if (value == "allow") return Policy::allow;
    if (value != "warn")
      log::warn(
          text("TORCHLIGHT_FALLBACK is \"", value, "\"; known are error, warn and allow. Taking warn"));
    return Policy::warn;
  }();
  return chosen;
}

/// A view's bytes, copied to the host, and the view that describes them there.
class Staged {
 public:
  Staged(OpenDevice& device, const tl_view& view) : device_(device), view_(view) {
    std::int64_t low = 0, high = 0;
    for (std::uint32_t d = 0; d < view.rank; ++d) {
      if (view.extent[d] == 0) return;  // nothing to see, nothing to write
      const std::int64_t reach = (view.extent[d] - 1) * view.stride[d];
      (reach < 0 ? low : high) += reach;
    }
    const std::int64_t item = view.dtype.bits / 8;
    bytes_ = static_cast<std::size_t>((high - low + 1) * item);
    place_ = {view.base, view.block, view.byte_offset + static_cast<std::uint64_t>(low * item)};
    memory_ = host_memory::allocate(bytes_);
    copy_out(device_, memory_, place_, bytes_);  // outputs as well: gaps between elements must survive
    view_.base = memory_;
    view_.block = nullptr;
    view_.byte_offset = static_cast<std::uint64_t>(-low * item);
    view_.flags = 0;
  }
  ~Staged() { host_memory::release(memory_, bytes_); }
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;

  const tl_view* view() const { return &view_; }
  void write_back() { copy_in(device_, place_, memory_, bytes_); }

 private:
  OpenDevice& device_;
  tl_view view_;
  tl_memory place_{};
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

void run_through_copies(OpenDevice& device, const Call& call) {
  AnyArgs args = copy_of(*call.args);
  std::vector<std::unique_ptr<Staged>> outputs, inputs;
  for (const Slot& slot : slots_of(call.primitive, args)) {
    if (!*slot.view) continue;
    auto& list = slot.is_output ? outputs : inputs;
    list.push_back(std::make_unique<Staged>(device, **slot.view));
    *slot.view = list.back()->view();
  }
  run(loader::cpu(), {call.primitive, call.operation, &args.head});
  for (auto& output : outputs) output->write_back();
}

}  // namespace

void fall_back(OpenDevice& device, const Call& call, std::string_view reason) {
  const std::string why = text(device.name(), " declines ", call.operation,
                               reason.empty() ? std::string() : text(" (", reason, ")"));
  OpenDevice& cpu = loader::cpu();
  if (&device == &cpu) throw DeviceError(why + ": there is no other device that could do it");
  if (policy() == Policy::error)
    throw DeviceError(why + "; TORCHLIGHT_FALLBACK=error forbids doing it on cpu");
  if (device.count_fallback(call.operation) && policy() == Policy::warn)
    log::warn(why +
              "; doing it on cpu (said once for each operation; TORCHLIGHT_FALLBACK=allow hides this)");
  if (device.is_host()) return run(cpu, call);
  run_through_copies(device, call);
}

}  // namespace torchlight::dispatch
