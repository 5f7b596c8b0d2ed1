#include "conditions.h"

#include <chrono>
#include <thread>

namespace remote {
namespace {

/// One step of SplitMix64: neighbouring numbers give unrelated ones.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

bool is_next(std::atomic<std::int64_t>& left) { return left >= 0 && left-- == 0; }

}  // namespace

void Conditions::dawdle(std::uint64_t stream, std::uint64_t piece) {
  std::uint64_t microseconds = delay;
  if (microseconds == 0) return;
  if (seed != 0) microseconds = mix(mix(mix(seed) + stream) + piece) % (microseconds + 1);
  delayed += microseconds;
  if (microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

Fate Conditions::count_down() {
  const bool fails = is_next(until_failure);
  return is_next(until_loss) ? Fate::loses_device : fails ? Fate::fails : Fate::goes_well;
}

}  // namespace remote
