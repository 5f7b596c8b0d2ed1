#include "show_profile.h"

#include <algorithm>
#include <vector>

#include "fault.h"
#include "text.h"

namespace twin_command {
namespace {

using Json = nlohmann::ordered_json;

// A multiprocessor as the twin's device has it; the registers of a kernel aren't known here.
constexpr unsigned most_threads = 2048, most_blocks = 32, most_warps = 64;
constexpr std::uint64_t most_shared = 227 * 1024;

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::string dims(const Json& d) {
  return format("(%u,%u,%u)", d[0].get<unsigned>(), d[1].get<unsigned>(), d[2].get<unsigned>());
}

std::string traffic_line(const char* name, const Json& t, double warps, const char* unit) {
  const double requests = t["requests"], units = t["units"], least = t["least"];
  if (requests == 0) return {};
  return format("    %-16s %10.0f requests, %6.2f a warp; %s each: %.2f, ideally %.2f", name, requests,
                ratio(requests, warps), unit, ratio(units, requests), ratio(least, requests)) +
         (units > 1.05 * least ? format("  <- %.1f times the ideal", ratio(units, least))
                               : std::string()) +
         "\n";
}

/// The lines that cost most beyond the ideal.
std::string worst_lines(const Json& lines, const char* kind, const char* what) {
  std::vector<std::pair<double, std::string>> worst;
  for (const auto& [place, line] : lines.items()) {
    const Json& t = line[kind];
    const double extra = t["units"].get<double>() - t["least"].get<double>();
    if (extra <= 0) continue;
    worst.emplace_back(
        extra, format("    %s: %.2f %s a request, ideally %.2f\n",
                      near_path(place.empty() ? "?" : place).c_str(), ratio(t["units"], t["requests"]),
                      what, ratio(t["least"], t["requests"])));
  }
  std::sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(worst.size(), 3); ++k) text += worst[k].second;
  return text;
}

std::string parted_lines(const Json& lines) {
  std::string text;
  for (const auto& [place, line] : lines.items())
    if (line["parted"] > 0)
      text += format("    %s: parted %llu times\n", near_path(place.empty() ? "?" : place).c_str(),
                     line["parted"].get<unsigned long long>());
  return text;
}

std::string page(const Json& k) {
  const double warps = k["warps"], instructions = k["instructions"];
  const auto threads =
      k["block"][0].get<unsigned>() * k["block"][1].get<unsigned>() * k["block"][2].get<unsigned>();
  const auto shared =
      k["static_shared"].get<std::uint64_t>() + k["dynamic_shared"].get<std::uint64_t>();
  std::string text = "profile of " + k["kernel"].get<std::string>() + "\n  counted\n";
  text += format("    %-16s %10llu of %llu blocks, %llu warps\n", "launches",
                 k["launches"].get<unsigned long long>(), k["blocks"].get<unsigned long long>(),
                 k["warps"].get<unsigned long long>());
  text += format("    %-16s %10.0f of PTX, %.1f a warp, %.1f of 32 lanes active\n", "instructions",
                 instructions, ratio(instructions, warps), ratio(k["lane_instructions"], instructions));
  text += format("    %-16s %10llu, of which %llu parted a warp\n", "branches",
                 k["branches"].get<unsigned long long>(), k["parted"].get<unsigned long long>());
  text += parted_lines(k["lines"]);
  text += traffic_line("global reads", k["global_read"], warps, "sectors of 32 bytes");
  text += traffic_line("global writes", k["global_write"], warps, "sectors of 32 bytes");
  text += traffic_line("global atomics", k["global_atomic"], warps, "sectors of 32 bytes");
  text += worst_lines(k["lines"], "global", "sectors");
  text += traffic_line("shared reads", k["shared_read"], warps, "rounds of the banks");
  text += traffic_line("shared writes", k["shared_write"], warps, "rounds of the banks");
  text += traffic_line("shared atomics", k["shared_atomic"], warps, "rounds of the banks");
  text += worst_lines(k["lines"], "shared", "rounds");
  if (k["own"]["requests"] > 0)
    text += format("    %-16s %10llu requests to arrays of a thread's own\n", "local",
                   k["own"]["requests"].get<unsigned long long>());
  const Occupancy occupancy = occupancy_of(threads, shared);
  text += "  static\n";
  text += format("    %-16s %10llu of PTX\n", "text", k["text_instructions"].get<unsigned long long>());
  text += format("    %-16s grid %s, block %s\n", "last launch", dims(k["grid"]).c_str(),
                 dims(k["block"]).c_str());
  text += format("    %-16s %10llu bytes a block (%llu static, %llu of the launch)\n", "shared memory",
                 static_cast<unsigned long long>(shared), k["static_shared"].get<unsigned long long>(),
                 k["dynamic_shared"].get<unsigned long long>());
  text += format(
      "    %-16s %9u%% of a multiprocessor's warps: %u blocks fit, by %s (registers aren't known)\n",
      "occupancy", occupancy.percent, occupancy.blocks, occupancy.bound.c_str());
  return text;
}

}  // namespace

Occupancy occupancy_of(unsigned threads, std::uint64_t shared_bytes) {
  const unsigned warps = (threads + 31) / 32;
  Occupancy result{most_blocks, 0, "the number of blocks"};
  if (const unsigned by_threads = warps ? most_threads / (warps * 32) : 0; by_threads < result.blocks)
    result = {by_threads, 0, "threads"};
  if (const std::uint64_t by_shared = shared_bytes ? most_shared / shared_bytes : most_blocks;
      by_shared < result.blocks)
    result = {static_cast<unsigned>(by_shared), 0, "shared memory"};
  result.percent = 100 * result.blocks * warps / most_warps;
  return result;
}

std::string shown_profile(const Json& kernels) {
  std::string text;
  for (const Json& kernel : kernels) text += page(kernel);
  return text.empty() ? "profile: no kernel was launched\n" : text;
}

}  // namespace twin_command
