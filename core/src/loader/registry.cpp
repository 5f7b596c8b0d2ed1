#include "loader/registry.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include <torchlight/error.h>

#include "loader/discovery.h"
#include "loader/explain.h"
#include "loader/fork_guard.h"
#include "loader/plugin.h"
#include "loader/selection.h"
#include "support/environment.h"
#include "support/log.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

class Registry {
 public:
  static Registry& instance() {
    static Registry& registry = *new Registry;  // never destroyed: devices are used until the very end
    return registry;
  }

  OpenDevice& open(std::string_view selection);
  std::vector<Candidate> candidates() const;
  std::vector<OpenDevice*> open_all();
  std::string add(const std::string& path);

 private:
  /// A file, and the plug-in in it if it is usable.
  struct Entry {
    Candidate candidate;
    std::unique_ptr<Plugin> plugin;
  };

  Registry();
  OpenDevice& open_first(const std::vector<Wanted>& wanted);
  OpenDevice& open_one(const Wanted& wanted);
  Plugin* find(const std::string& name) const;
  Plugin* find_file(const Found& found) const;
  std::vector<Plugin*> plugins() const;
  void insert_first(Found found);

  std::vector<SearchedPlace> places_;
  std::vector<Entry> entries_;  // under state_mutex
  std::map<std::string, OpenDevice*, std::less<>>
      selected_;  // what worked, by selection; under state_mutex
};

Registry::Registry() {
  Discovery discovery = discover(search_places(), rules());
  places_ = std::move(discovery.places);
  for (Found& found : discovery.files) {
    Entry entry{found.candidate, nullptr};
    if (found.usable()) entry.plugin = std::make_unique<Plugin>(std::move(found));
    entries_.push_back(std::move(entry));
  }
}

std::vector<Candidate> Registry::candidates() const {
  std::vector<Candidate> list;
  std::vector<Plugin*> of;
  {
    const std::lock_guard lock(state_mutex());
    for (const Entry& entry : entries_) {
      list.push_back(entry.candidate);
      of.push_back(entry.plugin.get());
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i)
    if (of[i] && list[i].state == Candidate::State::found) list[i] = of[i]->candidate();
  return list;
}

std::vector<Plugin*> Registry::plugins() const {
  const std::lock_guard lock(state_mutex());
  std::vector<Plugin*> list;
  for (const Entry& entry : entries_)
    if (entry.plugin && entry.candidate.state == Candidate::State::found)
      list.push_back(entry.plugin.get());
  return list;
}

Plugin* Registry::find(const std::string& name) const {
  for (Plugin* plugin : plugins())
    if (plugin->answers_to(name)) return plugin;
  return nullptr;
}

Plugin* Registry::find_file(const Found& found) const {
  for (Plugin* plugin : plugins())
    if (plugin->found().is_same_file(found)) return plugin;
  return nullptr;
}

OpenDevice& Registry::open_one(const Wanted& wanted) {
  Plugin* plugin = find(wanted.name);
  if (!plugin) throw DeviceError(why_missing(wanted.name, candidates()));
  OpenDevice& device = plugin->open(wanted.index);
  if (const std::string reason = device.rejection(); !reason.empty()) throw DeviceError(reason);
  return device;
}

OpenDevice& Registry::open_first(const std::vector<Wanted>& wanted) {
  if (wanted.size() == 1) return open_one(wanted.front());
  std::string reasons, causes;  // whole, and the first line of each
  for (const Wanted& one : wanted) {
    try {
      OpenDevice& device = open_one(one);
      // A list allows for the next, but nobody should wonder which one it was. open() remembers, so once.
      if (!reasons.empty()) log::warn(text("using device ", device.name(), ": ", causes));
      return device;
    } catch (const DeviceError& error) {
      const std::string_view reason = error.what();
      reasons += text("\n  ", reason);
      causes += text(causes.empty() ? "" : "; ", reason.substr(0, reason.find('\n')));
    }
  }
  throw DeviceError("none of the devices asked for can be had:" + reasons);
}

OpenDevice& Registry::open(std::string_view selection) {
  {
    const std::lock_guard lock(state_mutex());
    const auto known = selected_.find(selection);
    if (known != selected_.end() && known->second->rejection().empty()) return *known->second;
  }
  try {
    OpenDevice& device = open_first(parse_selection(selection));
    const std::lock_guard lock(state_mutex());
    selected_[std::string(selection)] = &device;
    return device;
  } catch (const DeviceError& error) {
    throw DeviceError(error.what() + what_is_known(candidates(), places_));
  }
}

std::vector<OpenDevice*> Registry::open_all() {
  std::vector<OpenDevice*> devices;
  for (Plugin* plugin : plugins())
    for (std::uint32_t i = 0, count = plugin->try_to_count(); i < count; ++i) {
      OpenDevice* device = plugin->try_to_open(i);
      if (device && device->rejection().empty()) devices.push_back(device);
    }
  return devices;
}

std::string Registry::add(const std::string& path) {
  Found found = inspect(path, Origin::api, true, rules());
  const auto refuse = [&](const std::string& reason) {
    throw DeviceError(text("plug-in ", path, " can't be used: ", reason));
  };
  if (!found.usable()) refuse(found.candidate.reason);
  Plugin* plugin = find_file(found);
  if (!plugin) {
    const std::string name = found.identity.name;
    const Plugin* holder = find(name);
    if (name == "cpu") refuse("the name cpu is reserved for the shipped cpu_simd");
    if (holder && name == "cpu_simd" && is_shipped(holder->found().origin))
      refuse(text("the name cpu_simd is reserved for the shipped plug-in, ",
                  holder->found().candidate.path));
    if (holder && holder->is_loaded())
      refuse(
          text("the name ", name, " belongs to ", holder->found().candidate.path, ", which is in use"));
    insert_first(std::move(found));
    plugin = find(name);
  }
  plugin->retry();
  plugin->load();
  return plugin->name();
}

void Registry::insert_first(Found found) {
  const std::lock_guard lock(state_mutex());
  for (Entry& other : entries_) {
    if (!other.plugin || !other.plugin->answers_to(found.identity.name)) continue;
    if (other.candidate.state != Candidate::State::found) continue;
    other.candidate.state = Candidate::State::duplicate;
    other.candidate.reason = text("the name ", found.identity.name, " belongs to ",
                                  found.candidate.path, ", which comes first");
  }
  Entry entry{found.candidate, nullptr};
  entry.plugin = std::make_unique<Plugin>(std::move(found));
  entries_.insert(entries_.begin(), std::move(entry));
  selected_.clear();
}

std::atomic<OpenDevice*> chosen_default{nullptr};
std::atomic<OpenDevice*> known_cpu{nullptr};

}  // namespace

OpenDevice& open(std::string_view name) { return Registry::instance().open(name); }

OpenDevice& default_device() {
  if (OpenDevice* chosen = chosen_default.load(std::memory_order_acquire)) return *chosen;
  const std::optional<std::string> wanted = environment::device_now();
  if (!wanted) return cpu();
  try {
    return open(*wanted);
  } catch (const DeviceError& error) {
    throw DeviceError(text("TORCHLIGHT_DEVICE: ", error.what()));
  }
}

void set_default(OpenDevice& device) { chosen_default.store(&device, std::memory_order_release); }

OpenDevice& cpu() {
  OpenDevice* device = known_cpu.load(std::memory_order_acquire);
  if (!device) known_cpu.store(device = &open("cpu"), std::memory_order_release);
  return *device;
}

std::vector<Candidate> candidates() { return Registry::instance().candidates(); }
std::vector<OpenDevice*> open_all() { return Registry::instance().open_all(); }
std::string add(const std::string& path) { return Registry::instance().add(path); }

}  // namespace torchlight::loader
