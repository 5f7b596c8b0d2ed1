#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace torchlight {

/// How many CPUs the process may use: its affinity mask, and the CPU quota of its control groups rounded
/// up. At least 1.
std::uint32_t usable_cpus();

/// The quota alone, in CPUs: the smallest of all groups the process is in, of either version of control
/// groups; nothing where there is none. `root` takes the place of "/" in tests.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace torchlight
