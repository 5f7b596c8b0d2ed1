#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The environment variables of the library: the one table of them, and their values as they were at
/// first use (secure_getenv, so an elevated process sees none).
namespace torchlight::environment {

struct Variable {
  std::string_view name;
  std::string_view meaning;
};

/// All of them, in the order docs list them.
std::span<const Variable> variables();

/// The value at first use; nothing where unset or empty. The name must be in the table.
std::optional<std::string> get(std::string_view name);

/// TORCHLIGHT_DEVICE as it is now: programs set it while they run.
std::optional<std::string> device_now();

}  // namespace torchlight::environment
