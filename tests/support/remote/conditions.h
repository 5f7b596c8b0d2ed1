#pragma once

#include <atomic>
#include <cstdint>

namespace remote {

enum class Fate : std::uint8_t { goes_well, fails, loses_device };

/// How well a device does, shared by all its streams: tests make it slow, unreliable or lost.
struct Conditions {
  std::atomic<std::uint32_t> delay{0};  // microseconds before each piece of work
  std::atomic<std::uint64_t> seed{0};   // not 0: a random part of the delay instead, drawn from it
  std::atomic<std::int64_t> until_failure{-1};  // pieces of work left until one fails; < 0: none will
  std::atomic<std::int64_t> until_loss{-1};     // likewise until the device is lost
  std::atomic<bool> lost{false};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> delayed{0};  // microseconds slept, all together
  std::atomic<std::uint64_t> streams{0};  // how many there have been
  std::atomic<std::uint64_t> callers{0};  // how often a caller was delayed

  static constexpr const char* lost_text = "the device is lost";

  /// Sleeps before the piece of work with this number of this stream.
  void dawdle(std::uint64_t stream, std::uint64_t piece);
  /// Sleeps in a function that works for the caller at once.
  void dawdle_for_caller() { dawdle(0, callers++); }
  /// Counts one piece of work that may fail, and says how this one ends.
  Fate count_down();
};

}  // namespace remote
