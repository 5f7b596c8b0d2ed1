#pragma once

/// Whether others use the machine: a block that they disturbed is no measurement.
namespace peers {

class Quiet {
 public:
  /// Pauses of so many milliseconds between blocks (0: none), and seconds to wait for a quiet machine, in
  /// one go and in all.
  Quiet(int pause_ms, double longest, double budget)
      : pause_ms_(pause_ms), longest_(longest), budget_(budget) {}

  /// Waits until the machine is idle. False if it wasn't in time.
  bool wait();
  /// How often the process was pushed off a processor so far.
  static long preemptions();

 private:
  int pause_ms_;
  double longest_, budget_;
};

}  // namespace peers
