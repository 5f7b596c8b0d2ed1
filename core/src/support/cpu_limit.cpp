#include "support/cpu_limit.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace torchlight {
namespace {

namespace fs = std::filesystem;

// The bits of sched_getaffinity; the kernel wants a mask that is large enough for all its CPUs.
std::uint32_t affinity_count() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(
        CPU_ALLOC(static_cast<std::size_t>(cpus)), [](cpu_set_t* m) { CPU_FREE(m); });
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    if (mask && sched_getaffinity(0, size, mask.get()) == 0)
      return static_cast<std::uint32_t>(CPU_COUNT_S(size, mask.get()));
  }
  return 1;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::string& list, const std::string& item) {
  const auto items = split(list, ',');
  return std::find(items.begin(), items.end(), item) != items.end();
}

// A mounted hierarchy that can hold a quota, and the place of the process in it.
struct Hierarchy {
  bool unified = false;  // version 2
  fs::path mounted_part;
  fs::path mount_point;
};

// A line of mountinfo: id parent device mounted_part mount_point options … - type source super_options
std::optional<Hierarchy> hierarchy(const std::string& line) {
  const auto fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
  const bool unified = dash[1] == "cgroup2";
  if (!unified && !(dash[1] == "cgroup" && has(dash[3], "cpu"))) return std::nullopt;
  return Hierarchy{unified, fields[3], fields[4]};
}

// /proc/self/cgroup has lines id:controllers:group; the unified hierarchy has no controllers.
fs::path group_in(const fs::path& root, bool unified) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (unified ? controllers.empty() : has(controllers, "cpu")) return line.substr(second + 1);
  }
  return "/";
}

std::optional<double> quota_of(const fs::path& folder, bool unified) {
  double quota = 0, period = 0;
  if (unified)
    std::ifstream(folder / "cpu.max") >> quota >> period;  // "max 100000": not a number, quota stays 0
  else {
    std::ifstream(folder / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  }
  if (quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// A group is bound by the quotas of all above it, too.
std::optional<double> smallest_quota(const fs::path& root, const Hierarchy& where) {
  fs::path below = group_in(root, where.unified).lexically_relative(where.mounted_part);
  if (below.empty() || *below.begin() == "..") below = ".";
  const fs::path top = root / where.mount_point.relative_path();
  std::optional<double> smallest = quota_of(top, where.unified);
  fs::path folder = top;
  for (const fs::path& name : below) {
    folder /= name;
    const std::optional<double> quota = quota_of(folder, where.unified);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
  }
  return smallest;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> smallest;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::optional<Hierarchy> where = hierarchy(line);
    if (!where) continue;
    const std::optional<double> quota = smallest_quota(root, *where);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
  }
  return smallest;
}

std::uint32_t usable_cpus() {
  const std::uint32_t cpus = affinity_count();
  const std::optional<double> quota = cpu_quota();
  if (!quota || *quota >= cpus) return cpus;
  return std::max(1u, static_cast<std::uint32_t>(std::ceil(*quota)));
}

}  // namespace torchlight
