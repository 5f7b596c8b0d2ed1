#include "support/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string_view>

#include <torchlight/error.h>

#include "support/environment.h"
#include "support/fork.h"
#include "support/text.h"

namespace torchlight::log {
namespace {

constexpr std::array<std::string_view, 6> level_names{"trace", "debug", "info", "warn", "error", "off"};

std::optional<Level> level_of(std::string_view name) {
  const auto at = std::find(level_names.begin(), level_names.end(), name);
  if (at == level_names.end()) return std::nullopt;
  return static_cast<Level>(at - level_names.begin());
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::trace: return spdlog::level::trace;
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warn: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
    case Level::off: break;
  }
  return spdlog::level::off;
}

// spdlog's registry is destroyed at exit, and its locks don't survive a fork: a logger and a lock of our own.
struct Log {
  std::mutex mutex;
  spdlog::logger logger{"torchlight", std::make_shared<spdlog::sinks::stderr_sink_st>()};
};

Log* make_log() {
  auto* fresh = new Log;
  survive_fork(fresh->mutex);
  fresh->logger.set_pattern("torchlight %l: %v");
  const std::string wanted = environment::get("TORCHLIGHT_LOG").value_or("warn");
  const std::optional<Level> level = level_of(wanted);
  fresh->logger.set_level(to_spdlog(level.value_or(Level::warn)));
  if (!level)
    fresh->logger.warn(text("TORCHLIGHT_LOG: unknown level '", wanted,
                            "', using warn (known: trace, debug, info, warn, error, off)"));
  return fresh;
}

Log& instance() {
  static Log& log = *make_log();
  return log;
}

}  // namespace

bool enabled(Level level) {
  return level != Level::off && instance().logger.should_log(to_spdlog(level));
}

void write(Level level, const std::string& line) {
  if (!enabled(level)) return;
  const std::string clean = printable(line);  // a line of the log is one line, whatever a plug-in says
  Log& log = instance();
  const std::lock_guard lock(log.mutex);
  log.logger.log(to_spdlog(level), spdlog::string_view_t(clean));
}

}  // namespace torchlight::log
