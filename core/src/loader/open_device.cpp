#include "loader/open_device.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include <torchlight/error.h>

#include "loader/details.h"
#include "loader/fork_guard.h"
#include "loader/self_test.h"
#include "support/floating_mode.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

std::string device_name(const std::string& backend, std::uint32_t index) {
  return index == 0 ? backend : text(backend, ":", index);
}

/// The extension's table, copied as far as both sides know it. Nothing if the plug-in doesn't offer it, or
/// left out one of its functions: an extension is offered whole.
template <class Table>
std::optional<Table> copy_extension(const tl_backend& table, tl_device* device, const char* id) {
  const void* theirs = table.extension ? table.extension(device, id) : nullptr;
  if (!theirs) return {};
  std::uint32_t size = 0;
  std::memcpy(&size, theirs, sizeof size);
  Table ours{};
  std::memcpy(&ours, theirs, std::min<std::size_t>(size, sizeof ours) / sizeof(void*) * sizeof(void*));
  constexpr std::size_t head = 2 * sizeof(std::uint32_t);
  for (std::size_t at = head; at < sizeof ours; at += sizeof(void*)) {
    void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&ours) + at, sizeof function);
    if (!function) return {};
  }
  return ours;
}

std::string meaning(std::int32_t status) {
  switch (status) {
    case TL_DECLINED: return "declined";
    case TL_NOT_READY: return "not ready";
    case TL_E_ARGUMENT: return "bad argument";
    case TL_E_MEMORY: return "out of memory";
    case TL_E_DEVICE: return "device failed";
    case TL_E_STATE: return "not possible now";
    case TL_E_INTERNAL: return "the plug-in's own fault";
    default: return text("status ", status);
  }
}

/// What is left to do, where nothing that the program could try helps.
std::string_view remedy(std::int32_t status) {
  return status == TL_E_DEVICE
             ? "; what was on it is gone: start the program again, from its last checkpoint"
             : "";
}

}  // namespace

OpenDevice::OpenDevice(const tl_backend& table, std::string backend_name, std::uint32_t index,
                       bool trusted)
    : table_(table),
      name_(device_name(backend_name, index)),
      index_(index),
      trusted_(trusted),
      generation_(process_generation()) {
  const FloatingModeGuard guard;
  describe();
  require_memory_functions();
  ErrorText error;
  const std::int32_t status = table_.open(index_, &handle_, error.get());
  if (status != TL_OK)
    throw DeviceError(
        text("device ", name_, " can't be opened: ", meaning(status), ": ", error.reason()));
  find_extensions();
}

void OpenDevice::describe() {
  ErrorText error;
  info_.size = sizeof info_;
  const std::int32_t status = table_.device_info(index_, &info_, error.get());
  if (status != TL_OK)
    throw DeviceError(
        text("device ", name_, " can't be described: ", meaning(status), ": ", error.reason()));
  info_.description[sizeof info_.description - 1] = 0;
  info_.instruction_set[sizeof info_.instruction_set - 1] = 0;
  if (info_.memory_space > TL_SPACE_MANAGED)
    throw DeviceError(text("device ", name_, " has a kind of memory this core doesn't know (",
                           info_.memory_space, ")"));
}

void OpenDevice::require_memory_functions() const {
  if (is_host()) return;
  const struct {
    const char* name;
    bool there;
  } required[] = {{"allocate", table_.allocate != nullptr},
                  {"release", table_.release != nullptr},
                  {"copy", table_.copy != nullptr},
                  {"stream_open", table_.stream_open != nullptr},
                  {"stream_close", table_.stream_close != nullptr},
                  {"stream_poll", table_.stream_poll != nullptr},
                  {"stream_sync", table_.stream_sync != nullptr}};
  for (const auto& function : required)
    if (!function.there)
      throw DeviceError(
          text("device ", name_, " has memory of its own, but its table lacks ", function.name));
}

void OpenDevice::find_extensions() {
  index_table_ = copy_extension<tl_index_table>(table_, handle_, TL_EXT_INDEX);
  scan_table_ = copy_extension<tl_scan_table>(table_, handle_, TL_EXT_SCAN);
  random_table_ = copy_extension<tl_random_table>(table_, handle_, TL_EXT_RANDOM);
  optim_table_ = copy_extension<tl_optim_table>(table_, handle_, TL_EXT_OPTIM);
  details_table_ = copy_extension<tl_details_table>(table_, handle_, TL_EXT_DETAILS);
}

std::vector<std::string> OpenDevice::extensions() const {
  std::vector<std::string> ids;
  if (index_table_) ids.emplace_back(TL_EXT_INDEX);
  if (scan_table_) ids.emplace_back(TL_EXT_SCAN);
  if (random_table_) ids.emplace_back(TL_EXT_RANDOM);
  if (optim_table_) ids.emplace_back(TL_EXT_OPTIM);
  if (details_table_) ids.emplace_back(TL_EXT_DETAILS);
  return ids;
}

bool OpenDevice::forked() const { return !is_host() && generation_ != process_generation(); }

void OpenDevice::prepare_slowly(std::uint32_t primitive) {
  if (forked())
    throw DeviceError(text("device ", name_,
                           " was opened before this process was forked, and a fork doesn't copy "
                           "what is on a device: start worker processes by spawn or exec"));
  if (const std::string* reason = rejected_.load(std::memory_order_acquire)) throw DeviceError(*reason);
  const auto wrong = trusted_ ? std::nullopt : self_test(*this, primitive);
  if (wrong) {
    // Never freed, like the device: others may be reading it.
    const auto* reason = new std::string(text("device ", name_, " is rejected: ", *wrong));
    const std::string* nobody = nullptr;
    if (!rejected_.compare_exchange_strong(nobody, reason)) delete std::exchange(reason, nobody);
    for (auto& ready : ready_) ready.store(false, std::memory_order_release);
    throw DeviceError(*reason);
  }
  ready_[primitive].store(true, std::memory_order_release);
}

std::string OpenDevice::rejection() const {
  const std::string* reason = rejected_.load(std::memory_order_acquire);
  return reason ? *reason : std::string();
}

bool OpenDevice::count_fallback(const std::string& operation) const {
  const std::lock_guard lock(state_mutex());
  return ++fallbacks_[operation] == 1;
}

DeviceReport OpenDevice::report(Details details) const {
  static constexpr const char* spaces[] = {"host", "pinned", "device", "managed"};
  DeviceReport report;
  report.name = name_;
  report.description = info_.description;
  report.instruction_set = info_.instruction_set;
  report.memory_space = spaces[info_.memory_space];
  report.memory_bytes = info_.memory_bytes;
  const auto offers = [&](const char* name, bool there) {
    if (there) report.primitives.emplace_back(name);
  };
  offers("map", true);
  offers("zip", true);
  offers("reduce", true);
  offers("matmul", true);
  offers("attn_softmax_fw", table_.attn_softmax_fw != nullptr);
  offers("attn_softmax_bw", table_.attn_softmax_bw != nullptr);
  offers("layernorm_fw", table_.layernorm_fw != nullptr);
  offers("layernorm_bw", table_.layernorm_bw != nullptr);
  report.extensions = extensions();
  if (details_table_ && !forked()) report.details = details_of(*details_table_, *this, details);
  const std::lock_guard lock(state_mutex());
  for (const auto& [operation, count] : fallbacks_)
    report.fallbacks.push_back(text(operation, " (", count, ")"));
  return report;
}

void check(std::int32_t status, const OpenDevice& device, std::string_view operation,
           ErrorText& error) {
  if (status == TL_OK) return;
  const std::string line = text(operation, ": device ", device.name(), ": ", meaning(status),
                                error.words().empty() ? "" : ": ", error.words(), remedy(status));
  if (status == TL_E_ARGUMENT) throw Error(line);
  throw DeviceError(line);
}

}  // namespace torchlight::loader
