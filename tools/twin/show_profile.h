// What twin::Profile counted, for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace twin_command {

/// A page for each kernel. Counted and static figures stand apart; none is a time.
std::string shown_profile(const nlohmann::ordered_json& kernels);

/// How many blocks fit on a multiprocessor by threads and shared memory, and the warps of them in percent.
struct Occupancy {
  unsigned blocks = 0, percent = 0;
  std::string bound;  ///< what decides it
};
Occupancy occupancy_of(unsigned threads, std::uint64_t shared_bytes);

}  // namespace twin_command
