#pragma once

#include <cstdint>
#include <string>

/// What a call of a plug-in must leave alone in the process.
namespace torchlight::test {

/// Rounding mode, denormal flags and traps, without the sticky exception flags; the locale.
struct ProcessState {
  std::uint64_t floating_point;
  std::string locale;

  static ProcessState now();
  /// "the floating-point mode", "the locale", or empty if nothing differs.
  std::string difference(const ProcessState& other) const;
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

/// While it lives, every allocation of the process fails after the first `after`. Not there under sanitizers,
/// whose allocator can't be made to fail.
class NoMemory {
 public:
  explicit NoMemory(std::uint64_t after);
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  /// How many have failed so far.
  std::uint64_t failed() const;
};

}  // namespace torchlight::test
