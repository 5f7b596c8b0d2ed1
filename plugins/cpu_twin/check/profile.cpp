#include "check/profile.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/ir.h"
#include "runtime/launch.h"
#include "runtime/module.h"

namespace twin {
namespace {

constexpr uint64_t sector = 32, bank_width = 4, banks = 32;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result + "\"";
}

std::string json_of(const Traffic& t) {
  return cat("{\"requests\":", t.requests, ",\"lanes\":", t.lanes, ",\"units\":", t.units,
             ",\"least\":", t.least, "}");
}

std::string json_of(Dim d) { return cat("[", d.x, ",", d.y, ",", d.z, "]"); }

constexpr const char* path_names[] = {"global_read", "global_write", "global_atomic",
                                      "shared_read", "shared_write", "shared_atomic",
                                      "own"};

std::string json_of(const KernelCounts& k) {
  std::string text =
      cat("{\"kernel\":", quoted(k.name), ",\"launches\":", k.launches, ",\"blocks\":", k.blocks,
          ",\"warps\":", k.warps, ",\"instructions\":", k.instructions,
          ",\"lane_instructions\":", k.lane_instructions, ",\"branches\":", k.branches,
          ",\"parted\":", k.parted, ",\"grid\":", json_of(k.grid), ",\"block\":", json_of(k.block),
          ",\"static_shared\":", k.static_shared, ",\"dynamic_shared\":", k.dynamic_shared,
          ",\"text_instructions\":", k.text_instructions);
  for (size_t p = 0; p < static_cast<size_t>(Route::count); ++p)
    text += cat(",\"", path_names[p], "\":", json_of(k.traffic[p]));
  text += ",\"lines\":{";
  bool first = true;
  for (const auto& [place, line] : k.lines) {
    text += cat(first ? "" : ",", quoted(place), ":{\"global\":", json_of(line.global),
                ",\"shared\":", json_of(line.shared), ",\"parted\":", line.parted, "}");
    first = false;
  }
  return text + "}}";
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  requests += other.requests, lanes += other.lanes, units += other.units, least += other.least;
  return *this;
}

/// Distinct sectors, and the fewest that hold as many distinct bytes.
Traffic global_traffic(const uint64_t* addresses, Mask mask, uint32_t bytes) {
  std::array<uint64_t, 2 * 32> sectors{};
  std::array<uint64_t, 32> starts{};
  size_t count = 0, lanes_on = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    starts[lanes_on++] = addresses[lane];
    const uint64_t first = addresses[lane] / sector, last = (addresses[lane] + bytes - 1) / sector;
    sectors[count++] = first;
    if (last != first) sectors[count++] = last;
  }
  std::sort(sectors.begin(), sectors.begin() + count);
  std::sort(starts.begin(), starts.begin() + lanes_on);
  const auto units =
      static_cast<uint64_t>(std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
  const auto distinct =
      static_cast<uint64_t>(std::unique(starts.begin(), starts.begin() + lanes_on) - starts.begin());
  return {1, lanes_on, units, (distinct * bytes + sector - 1) / sector};
}

/// Rounds: in each a bank gives one word, to as many lanes as want it. Wide accesses go by halves or quarters of a warp.
Traffic shared_traffic(const uint64_t* addresses, Mask mask, uint32_t bytes) {
  const uint32_t words = std::max<uint32_t>(1, bytes / bank_width), group = 32 / words;
  Traffic traffic{1, static_cast<uint64_t>(std::popcount(mask)), 0, 0};
  for (uint32_t begin = 0; begin < 32; begin += group) {
    std::array<std::array<uint64_t, 32>, banks> wanted{};
    std::array<size_t, banks> count{};
    size_t most = 0;
    for (uint32_t lane = begin; lane < begin + group; ++lane) {
      if (!(mask >> lane & 1)) continue;
      for (uint32_t word = 0; word < words; ++word) {
        const uint64_t at = addresses[lane] / bank_width + word, bank = at % banks;
        auto* end = wanted[bank].begin() + count[bank];
        if (std::find(wanted[bank].begin(), end, at) == end) wanted[bank][count[bank]++] = at;
        most = std::max(most, count[bank]);
      }
    }
    traffic.units += most;
    traffic.least += most > 0;
  }
  return traffic;
}

void Profile::launch(const LoadedModule& module, const LoadedKernel& kernel, const Launch& launch) {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const KernelCounts& k) { return k.name == kernel.shown; });
  now_ = static_cast<size_t>(found - kernels_.begin());
  if (found == kernels_.end()) kernels_.emplace_back().name = kernel.shown;
  KernelCounts& counts = kernels_[now_];
  ++counts.launches;
  counts.blocks += launch.grid.count();
  counts.warps += launch.grid.count() * ((launch.block.count() + lanes - 1) / lanes);
  counts.grid = launch.grid;
  counts.block = launch.block;
  counts.static_shared = kernel.shared_bytes;
  counts.dynamic_shared = launch.dynamic_shared;
  counts.text_instructions = module.text().functions[kernel.index].code.size();
  module_ = &module;
  places_.clear();
}

KernelCounts::OfLine& Profile::at(uint32_t line) {
  KernelCounts::OfLine*& place = places_[line];
  if (!place) place = &kernels_[now_].lines[module_->place(line)];
  return *place;
}

void Profile::executed(const Warp&, uint32_t instructions, Mask mask, bool branches) {
  KernelCounts& counts = kernels_[now_];
  counts.instructions += instructions;
  counts.lane_instructions += uint64_t{instructions} * static_cast<uint64_t>(std::popcount(mask));
  counts.branches += branches;
}

void Profile::parted(const Warp&, uint32_t line) {
  ++kernels_[now_].parted;
  ++at(line).parted;
}

void Profile::touched(const BlockRunner& runner, const uint64_t* addresses, Mask mask, uint32_t what,
                      uint32_t line) {
  if (!mask) return;
  const uint32_t kind = what & access_kinds, bytes = what >> 8;
  const uint64_t first = addresses[std::countr_zero(mask)];
  KernelCounts& counts = kernels_[now_];
  const auto to = [&](Route read) -> Traffic& {
    return counts.traffic[static_cast<size_t>(read) + kind];
  };
  if (first - reinterpret_cast<uint64_t>(runner.shared()) < runner.shared_bytes()) {
    const Traffic traffic = shared_traffic(addresses, mask, bytes);
    to(Route::shared_read) += traffic;
    at(line).shared += traffic;
  } else if (runner.is_private(first)) {
    counts.traffic[static_cast<size_t>(Route::own)] +=
        {1, static_cast<uint64_t>(std::popcount(mask)), 0, 0};
  } else {
    const Traffic traffic = global_traffic(addresses, mask, bytes);
    to(Route::global_read) += traffic;
    at(line).global += traffic;
  }
}

std::string Profile::json() const {
  std::string text = "[";
  for (const KernelCounts& kernel : kernels_)
    text.append(text.size() > 1 ? "," : "").append(json_of(kernel));
  return text.append("]");
}

}  // namespace twin
