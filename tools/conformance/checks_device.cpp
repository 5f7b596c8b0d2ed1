#include <algorithm>
#include <cstring>

#include "checks.h"

namespace torchlight::test {
namespace {

bool is_name(const char* name) {
  const std::string text = name ? name : "";
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

/// Callers of another age have room for less.
std::string check_info_size(const Plugin& plugin) {
  for (std::uint32_t room : {8u, 16u, 20u, 152u}) {
    tl_device_info info;
    std::memset(static_cast<void*>(&info), 0x5a, sizeof info);
    info.size = room;
    ErrorText error;
    if (plugin.table().device_info(0, &info, error.get()) != TL_OK)
      return "device_info fails: " + error.text();
    const auto* bytes = reinterpret_cast<const std::byte*>(&info);
    const auto untouched = [](std::byte b) { return b == std::byte{0x5a}; };
    if (info.size != room || !std::all_of(bytes + room, bytes + sizeof info, untouched)) {
      return "device_info wrote beyond an answer of " + std::to_string(room) +
             " bytes, or changed its size";
    }
  }
  return {};
}

std::string check_missing_device(const Plugin& plugin) {
  std::uint32_t devices = 0;
  ErrorText error;
  plugin.table().device_count(&devices, error.get());
  tl_device* device = nullptr;
  if (plugin.table().open(devices, &device, error.get()) == TL_OK)
    return "open accepts a device that isn't there";
  if (!error.fault().empty()) return "open " + error.fault();
  tl_device_info info{};
  info.size = sizeof info;
  ErrorText second;
  if (plugin.table().device_info(devices + 7, &info, second.get()) == TL_OK) {
    return "device_info accepts a device that isn't there";
  }
  return second.fault().empty() ? "" : "device_info " + second.fault();
}

template <class Table> std::string check_table(const Table* table, const char* id) {
  std::string text = id;
  if (!table) return {};
  if (table->revision != 1) return text.append(" says another revision");
  if (table->size < offsetof(Table, revision) + 4) return text.append(" says no size");
  return {};
}

}  // namespace

std::string check_device(const Plugin& plugin) {
  const tl_backend& t = plugin.table();
  if (!is_name(t.name)) return "its name isn't made of a-z, 0-9 and _";
  if (!t.version || !*t.version) return "it has no version";
  const tl_device_info& info = plugin.info();
  if (strnlen(info.description, sizeof info.description) == sizeof info.description ||
      !*info.description) {
    return "its device has no description";
  }
  if (!plugin.is_host() && (!t.allocate || !t.release || !t.copy || !t.stream_open || !t.stream_close ||
                            !t.stream_poll || !t.stream_sync)) {
    return "a device with memory of its own lacks memory or stream functions";
  }
  if (t.extension && t.extension(plugin.device(), "torchlight.nothing/1"))
    return "it has an extension that isn't";
  std::string text = check_info_size(plugin);
  if (text.empty()) text = check_missing_device(plugin);
  if (text.empty()) text = check_table(plugin.index_table(), TL_EXT_INDEX);
  if (text.empty()) text = check_table(plugin.scan_table(), TL_EXT_SCAN);
  if (text.empty()) text = check_table(plugin.optim_table(), TL_EXT_OPTIM);
  if (text.empty()) text = check_table(plugin.random_table(), TL_EXT_RANDOM);
  return text;
}

}  // namespace torchlight::test
