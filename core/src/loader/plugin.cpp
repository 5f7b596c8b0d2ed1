#include "loader/plugin.h"

#include <mutex>

#include <torchlight/error.h>

#include "loader/fork_guard.h"
#include "loader/rejection.h"
#include "support/floating_mode.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

/// The plug-ins whose code this thread is in, innermost first. One that asks for itself there would see
/// itself half made.
class Inside {
 public:
  explicit Inside(const Plugin& plugin) : plugin_(plugin), outer_(innermost_) {
    for (const Inside* at = outer_; at; at = at->outer_)
      if (&at->plugin_ == &plugin)
        throw DeviceError(text("plug-in ", plugin.found().candidate.path,
                               " asks for itself while it is being loaded"));
    innermost_ = this;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { innermost_ = outer_; }

 private:
  const Plugin& plugin_;
  const Inside* outer_;
  static thread_local const Inside* innermost_;
};
thread_local const Inside* Inside::innermost_ = nullptr;

}  // namespace

Plugin::Plugin(Found found) : found_(std::move(found)), name_(public_name(found_.identity.name)) {}

Candidate Plugin::candidate() const {
  Candidate candidate = found_.candidate;
  if (is_loaded()) candidate.state = Candidate::State::loaded;
  std::string reason = rejected_device();
  const std::lock_guard lock(state_mutex());
  if (reason.empty()) reason = refusal_;
  if (!reason.empty()) candidate.state = Candidate::State::rejected;
  candidate.reason = reason;
  return candidate;
}

void Plugin::refuse(const std::string& reason) {
  {
    const std::lock_guard lock(state_mutex());
    refusal_ = reason;
  }
  log::info(text(found_.candidate.path, ": ", reason));
  repeat_refusal();
}

void Plugin::repeat_refusal() const {
  const std::lock_guard lock(state_mutex());
  if (!refusal_.empty())
    throw DeviceError(text("plug-in ", found_.candidate.path, " can't be used: ", refusal_));
}

void Plugin::retry() {
  const std::lock_guard lock(state_mutex());
  refusal_.clear();
}

void Plugin::load() {
  if (is_loaded()) return;
  repeat_refusal();
  const Inside inside(*this);
  const FloatingModeGuard guard;
  try {
    // Several threads may do this at once, and then hold the same object. If one did it for all, a thread
    // that is in the constructor of a library, and so holds the dynamic loader's lock, would wait for it
    // while it waits for that lock.
    shake_hands_once(Library(found_.file, found_.dependencies));
  } catch (const Rejection& rejection) {
    refuse(rejection.what());
  }
}

void Plugin::shake_hands_once(Library library) {
  const Turn::Hold hold(turn_, text("plug-in ", found_.candidate.path));
  if (is_loaded()) return;
  repeat_refusal();
  try {
    backend_ = shake_hands(library, found_.identity);
  } catch (const Rejection& rejection) {
    refuse(rejection.what());
  }
  library_ = std::move(library);
  loaded_.store(true, std::memory_order_release);
  log::info(text("loaded ", found_.candidate.path, ": ", found_.identity.name, " ",
                 found_.identity.version, ", ", backend_.device_count, " device(s)"));
}

std::uint32_t Plugin::device_count() {
  load();
  return backend_.device_count;
}

OpenDevice* Plugin::find_open(std::uint32_t index) const {
  const std::lock_guard lock(state_mutex());
  const auto found = devices_.find(index);
  return found == devices_.end() ? nullptr : found->second.get();
}

OpenDevice& Plugin::open(std::uint32_t index) {
  if (index >= device_count())
    throw DeviceError(text(
        "device \"", name_, index == 0 ? "" : text(":", index), "\": plug-in ", found_.candidate.path,
        backend_.device_count == 0
            ? " works, but finds no such hardware here (0 devices)"
            : text(" has ", backend_.device_count, " device(s), from ", name_, ":0 on")));
  if (OpenDevice* device = find_open(index)) return *device;
  const Inside inside(*this);
  const Turn::Hold hold(turn_, text("device ", name_));
  if (OpenDevice* device = find_open(index)) return *device;
  auto fresh = std::make_unique<OpenDevice>(backend_.table, name_, index, is_shipped(found_.origin));
  const std::lock_guard lock(state_mutex());
  return *(devices_[index] = std::move(fresh));
}

std::string Plugin::rejected_device() const {
  const std::lock_guard lock(state_mutex());
  for (const auto& [index, device] : devices_)
    if (std::string reason = device->rejection(); !reason.empty()) return reason;
  return {};
}

}  // namespace torchlight::loader
