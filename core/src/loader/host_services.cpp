#include "loader/host_services.h"

#include <cstring>
#include <map>
#include <string>

#include <torchlight/ext/host_parallel.h>
#include <torchlight/version.h>

#include "support/environment.h"
#include "support/log.h"
#include "support/thread_pool.h"

namespace torchlight::loader {
namespace {

log::Level level_of(std::uint32_t level) {
  switch (level) {
    case TL_LOG_DEBUG: return log::Level::debug;
    case TL_LOG_INFO: return log::Level::info;
    case TL_LOG_WARN: return log::Level::warn;
    default: return log::Level::error;
  }
}

void write_log(const tl_host*, std::uint32_t level, const char* text) noexcept {
  try {
    if (text) log::write(level_of(level), text);
  } catch (...) {  // no memory for a line of the log: the plug-in can't help it either
  }
}

/// Kept for ever: plug-ins hold on to the pointers.
const std::map<std::string, std::string, std::less<>>& settings() {
  static const auto& all = *[] {
    auto* values = new std::map<std::string, std::string, std::less<>>;
    for (const environment::Variable& variable : environment::variables())
      if (auto value = environment::get(variable.name))
        values->emplace(variable.name, *std::move(value));
    return values;
  }();
  return all;
}

const char* setting(const tl_host*, const char* name) noexcept {
  const auto found = settings().find(name ? name : "");
  return found == settings().end() ? nullptr : found->second.c_str();
}

void run(std::uint64_t count, void (*body)(void*, std::uint64_t) noexcept, void* context) noexcept {
  pool::run(count, body, context);
}

std::uint32_t concurrency() noexcept { return pool::concurrency(); }

constexpr tl_host_parallel parallel{sizeof(tl_host_parallel), 1, concurrency, run};

const void* extension(const tl_host*, const char* id) noexcept {
  return id && std::strcmp(id, TL_EXT_HOST_PARALLEL) == 0 ? &parallel : nullptr;
}

constexpr tl_host host{sizeof(tl_host), TL_ABI_MAJOR, TL_ABI_MINOR, TORCHLIGHT_VERSION,
                       write_log,       setting,      extension};

}  // namespace

const tl_host* host_services() { return &host; }

}  // namespace torchlight::loader
