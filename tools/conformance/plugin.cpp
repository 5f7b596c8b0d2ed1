#include "plugin.h"

#include <dlfcn.h>

#include <algorithm>

#include "process_state.h"

namespace torchlight::test {
namespace {

constexpr char untouched = '\x7f';

bool is_utf8(const char* s) {
  for (; *s; ++s) {
    const auto lead = static_cast<unsigned char>(*s);
    if (lead < 0x80) continue;
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : -1;
    if (more < 0) return false;
    for (int k = 0; k < more; ++k) {
      if ((static_cast<unsigned char>(*++s) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

void require(std::int32_t status, const char* what, const ErrorText& error) {
  if (status == TL_OK) return;
  throw PluginError(std::string(what) + ": status " + std::to_string(status) + ", " + error.text());
}

using Entry = decltype(&torchlight_plugin_v1);

Entry find_entry(const std::string& path) {
  void* file = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed
  if (!file) throw PluginError(dlerror());
  auto entry = reinterpret_cast<Entry>(dlsym(file, TL_ENTRY_NAME));
  if (!entry) throw PluginError(path + " doesn't export " TL_ENTRY_NAME);
  return entry;
}

}  // namespace

ErrorText::ErrorText(std::uint32_t capacity) : error_{sizeof(tl_error), capacity, memory_.data()} {
  memory_.fill(untouched);
  if (capacity) memory_[0] = 0;
}

std::string ErrorText::text() const {
  return {memory_.data(), strnlen(memory_.data(), error_.capacity)};
}

std::string ErrorText::fault() const {
  if (std::count(memory_.begin() + error_.capacity, memory_.end(), untouched) !=
      static_cast<std::ptrdiff_t>(memory_.size() - error_.capacity)) {
    return "wrote an error text longer than its capacity of " + std::to_string(error_.capacity);
  }
  if (error_.capacity == 0) return {};
  if (text().size() == error_.capacity) return "left an error text without its closing zero";
  if (text().empty() && error_.capacity > 1) return "gave no reason in its error text";
  if (text().find('\n') != std::string::npos) return "wrote an error text of several lines";
  if (text().size() + 1 < error_.capacity && !is_utf8(memory_.data()))
    return "wrote an error text that isn't UTF-8";
  return {};
}

Plugin::Plugin(const std::string& path, const TestHost& host, std::uint32_t index) {
  const Surroundings before = Surroundings::now();
  const std::uint64_t threads = threads_now();
  const tl_backend* theirs = nullptr;
  ErrorText error;
  require(find_entry(path)(host.table(), &theirs, error.get()), TL_ENTRY_NAME, error);
  if (!theirs) throw PluginError("gave no table");
  std::memcpy(&table_, theirs, std::min<std::size_t>(theirs->size, sizeof table_));
  if (table_.abi_major != TL_ABI_MAJOR) throw PluginError("has another ABI major");
  if (!table_.device_count || !table_.device_info || !table_.open || !table_.close ||
      !table_.supports || !table_.map || !table_.zip || !table_.reduce || !table_.matmul) {
    throw PluginError("its table lacks a required function");
  }
  std::uint32_t devices = 0;
  require(table_.device_count(&devices, error.get()), "device_count", error);
  if (index >= devices) throw PluginError("has no device " + std::to_string(index));
  info_.size = sizeof info_;
  require(table_.device_info(index, &info_, error.get()), "device_info", error);
  require(table_.open(index, &device_, error.get()), "open", error);
  changed_ = before.difference(Surroundings::now());
  threads_ = threads_now() - threads;
}

Plugin::~Plugin() { table_.close(device_); }

}  // namespace torchlight::test
