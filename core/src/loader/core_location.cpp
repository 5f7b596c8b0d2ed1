#include "loader/core_location.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace torchlight::loader {
namespace {

constexpr char anchor = 0;  // something whose address lies in this file

/// The kernel knows the path of each mapped file. dladdr doesn't always: it gives the name by which the
/// dynamic loader was asked, which may be relative to a directory that was left since.
std::string find_core_file() {
  const auto wanted = reinterpret_cast<std::uintptr_t>(&anchor);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end,
                    &path) != 2)
      continue;
    if (wanted < begin || wanted >= end) continue;
    return path > 0 && line.compare(static_cast<std::size_t>(path), 1, "/") == 0
               ? line.substr(static_cast<std::size_t>(path))
               : std::string();
  }
  return {};
}

}  // namespace

const std::string& core_file() {
  static const std::string& path = *new std::string(find_core_file());
  return path;
}

std::vector<std::string> directories_beside_core() {
  if (core_file().empty()) return {};
  const std::filesystem::path beside = std::filesystem::path(core_file()).parent_path();
  std::vector<std::string> found{(beside / TORCHLIGHT_PLUGIN_SUBDIRECTORY).string()};
  // A program in bin/ that holds the core has its libraries, and so the plug-ins, in lib/.
  if (beside.filename() == "bin")
    found.push_back((beside.parent_path() / "lib" / TORCHLIGHT_PLUGIN_SUBDIRECTORY).string());
  return found;
}

}  // namespace torchlight::loader
