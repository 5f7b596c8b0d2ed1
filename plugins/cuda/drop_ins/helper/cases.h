#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "../wire.h"

/// The steps of a probe, in child processes: a step that ends its process, crashes, hangs or throws is an answer.
namespace torchlight::drop_ins {

/// What came of a step. Lies in memory that parent and child share.
struct Verdict {
  enum Kind { not_run, right, wrong, ended };
  Kind kind = not_run;
  bool touched_rows_behind = false;
  float numbers[4] = {};
  char text[480] = "";
};

/// Does steps 0 … count - 1 in one child, and in a fresh one after each that wasn't right. `step` runs in the child
/// and says what it found; for one that ended otherwise it is said here. Stops after the first that isn't right
/// unless `all`.
std::vector<Verdict> run_cases(std::size_t count, const Limits& limits, bool all,
                               const std::function<void(std::size_t, Verdict&)>& step);

}  // namespace torchlight::drop_ins
