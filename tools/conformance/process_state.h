#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a call of a plug-in must leave alone in the process.
namespace torchlight::test {

/// Rounding mode, denormal flags and traps, without the sticky exception flags; the locale. Quick.
struct ProcessState {
  std::uint64_t floating_point;
  std::string locale;

  static ProcessState now();
  /// "the floating-point mode", "the locale", or empty if nothing differs.
  std::string difference(const ProcessState& other) const;
};

/// All of that and more, which takes its time: what opening a plug-in must leave alone.
struct Surroundings {
  ProcessState state;
  std::string directory;
  unsigned file_mask;
  std::string environment;
  std::vector<std::uintptr_t> handlers;  ///< of signals

  static Surroundings now();
  std::string difference(const Surroundings& other) const;
};

/// Counts the process's allocations, on all threads, between its construction and `count()`. The
/// program's malloc is replaced for this by one that counts and passes on; under a sanitizer its hooks do.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;
  std::uint64_t count() const;
};

/// While it lives, the process gets memory `first` more times and then none, on all threads. Under a sanitizer
/// it always gets some.
class AllocationFaults {
 public:
  explicit AllocationFaults(std::uint64_t first);
  ~AllocationFaults();
  AllocationFaults(const AllocationFaults&) = delete;
  AllocationFaults& operator=(const AllocationFaults&) = delete;
  /// From now on there is memory again: for whoever reports a crash.
  static void end();
  /// How often there was none.
  std::uint64_t count() const;
};

/// How many threads the process has.
std::uint64_t threads_now();

}  // namespace torchlight::test
