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
  const std::lock_guard lock(state_mutex());
  candidate.reason = refusal_.empty() ? rejected_device() : refusal_;
  if (!candidate.reason.empty())
    candidate.state = Candidate::State::rejected;
  else if (is_loaded())
    candidate.reason = trouble();
  return candidate;
}

/// The text of the first of its devices that was rejected after it was opened, or empty.
std::string Plugin::rejected_device() const {
  for (const auto& [index, device] : devices_)
    if (std::string reason = device->rejection(); !reason.empty()) return reason;
  return {};
}

/// Why a good plug-in has no device, or not all of them.
std::string Plugin::trouble() const {
  if (backend_.device_count == 0) return "finds no such hardware here (0 devices)";
  return closed_.empty() ? std::string() : closed_.begin()->second;
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
  try {
    return open_now(index);
  } catch (const DeviceError& error) {
    const std::lock_guard lock(state_mutex());
    closed_[index] = error.what();
    throw;
  }
}

OpenDevice& Plugin::open_now(std::uint32_t index) {
  auto fresh = std::make_unique<OpenDevice>(backend_.table, name_, index, is_shipped(found_.origin));
  const std::lock_guard lock(state_mutex());
  closed_.erase(index);
  return *(devices_[index] = std::move(fresh));
}

std::uint32_t Plugin::try_to_count() {
  try {
    return device_count();
  } catch (const DeviceError&) {  // refused: the reason is kept
    return 0;
  }
}

OpenDevice* Plugin::try_to_open(std::uint32_t index) {
  try {
    return &open(index);
  } catch (const DeviceError&) {
    return nullptr;
  }
}

}  // namespace torchlight::loader
