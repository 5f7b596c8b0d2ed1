#include <algorithm>
#include <cstring>
#include <functional>

#include "checks.h"
#include "process_state.h"

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

/// A function that may allocate, and what undoes it.
struct ControlCall {
  const char* name;
  std::function<std::int32_t(tl_error*)> run;
};

/// Those that the plug-in has.
std::vector<ControlCall> control_calls(const Plugin& plugin) {
  const tl_backend& t = plugin.table();
  tl_device* const device = plugin.device();
  std::vector<ControlCall> calls{{"device_count",
                                  [&t](tl_error* error) {
                                    std::uint32_t count = 0;
                                    return t.device_count(&count, error);
                                  }},
                                 {"device_info", [&t](tl_error* error) {
                                    tl_device_info info{};
                                    info.size = sizeof info;
                                    return t.device_info(0, &info, error);
                                  }}};
  if (!plugin.is_host() && t.allocate)
    calls.push_back({"allocate", [&t, device](tl_error* error) {
                       tl_memory memory{};
                       const std::int32_t status = t.allocate(device, nullptr, 4096, &memory, error);
                       return status == TL_OK ? t.release(device, nullptr, &memory, error) : status;
                     }});
  if (!plugin.is_host() && t.stream_open)
    calls.push_back({"stream_open", [&t, device](tl_error* error) {
                       tl_stream* stream = nullptr;
                       const std::int32_t status = t.stream_open(device, &stream, error);
                       return status == TL_OK ? t.stream_close(device, stream, error) : status;
                     }});
  if (t.event_open && t.event_close)
    calls.push_back({"event_open", [&t, device](tl_error* error) {
                       tl_event* event = nullptr;
                       const std::int32_t status = t.event_open(device, &event, error);
                       return status == TL_OK ? t.event_close(device, event, error) : status;
                     }});
  return calls;
}

/// The process gets no memory at first, then once, twice …, until the call needs no more.
std::string check_without_memory(const ControlCall& call) {
  const std::string name = call.name;
  ErrorText first_time;  // what a thread is given at its first call, no plug-in can do without
  static_cast<void>(call.run(first_time.get()));
  for (std::uint64_t first = 0; first < 64; ++first) {
    ErrorText error;
    std::int32_t status;
    std::uint64_t refused;
    {
      const AllocationFaults faults(first);
      status = call.run(error.get());
      refused = faults.count();
    }
    if (status != TL_OK && refused == 0) return name + " fails: " + error.text();
    if (status != TL_OK && !error.fault().empty()) return name + " without memory " + error.fault();
    if (refused == 0) break;
  }
  return {};
}

std::string check_too_much(const Plugin& plugin) {
  tl_memory memory{};
  ErrorText error;
  const tl_backend& t = plugin.table();
  if (t.allocate(plugin.device(), nullptr, std::uint64_t{1} << 60, &memory, error.get()) == TL_OK)
    return "allocate says that it has 2^60 bytes";
  return error.fault().empty() ? "" : "allocate " + error.fault() + " when asked for 2^60 bytes";
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
  if (text.empty()) text = check_table(plugin.details_table(), TL_EXT_DETAILS);
  return text;
}

std::string check_surroundings(const Plugin& plugin) {
  if (!plugin.changed_by_opening().empty())
    return "opening it changed " + plugin.changed_by_opening() + " of the process";
  if (plugin.is_host() && plugin.own_threads() > 0)
    return "opening it started " + std::to_string(plugin.own_threads()) +
           " threads; a host device takes the core's (torchlight.host.parallel/1)";
  return {};
}

std::string check_control_out_of_memory(const Plugin& plugin) {
  for (const ControlCall& call : control_calls(plugin))
    if (const std::string text = check_without_memory(call); !text.empty()) return text;
  return plugin.is_host() ? "" : check_too_much(plugin);
}

}  // namespace torchlight::test
