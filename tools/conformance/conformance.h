#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin.h"

/// Everything that is asked of a plug-in, tried on one that is open.
namespace torchlight::test {

struct Options {
  std::string
      part;  ///< an operation's name, "device", "random_case", "long_case" or "speed"; empty: all
             ///< but the last two
  const Plugin* reference = nullptr;  ///< what speeds are compared with
  std::string only;                   ///< cases whose name contains this; empty: all
  bool complete = false;              ///< declining what the contract lists is a failure
  std::uint64_t random_cases =
      10'000;                      ///< how many cases that nobody thought of; of long ones a hundredth
                                   ///< for each primitive
  std::uint64_t seed = 1;          ///< of all values, and of the first of them; the others follow
  double slack = 0;                ///< of layernorm, see Case
  std::size_t most_failures = 25;  ///< give up after so many
};

struct Failure {
  std::string name;   ///< of the case
  std::string check;  ///< which check found it
  std::string text;   ///< what is wrong
};

/// How far results of one kind were from the exact ones.
struct Accuracy {
  std::string kind;     ///< "map/exp/float32"
  double ulp = 0;       ///< the largest distance, in units of the last place of the right result
  double of_bound = 0;  ///< the largest part of what is allowed
  std::string name;     ///< of the case where that was
};

/// How fast it is; see speed.h.
struct Speed {
  std::string name;      ///< "matmul/float32/256x256x256"
  double seconds = 0;    ///< the median of its calls, each until its result could be read
  double reference = 0;  ///< the same of another plug-in; 0 where that declines it or there is none
  double of_limit = 0;  ///< what memory or multiply-adds of one core would take, as a part of `seconds`
};

struct Report {
  std::uint64_t done = 0;      ///< cases the plug-in did and did right
  std::uint64_t declined = 0;  ///< cases it declined
  std::vector<Failure> failures;
  std::vector<Accuracy>
      accuracy;  ///< of floating-point results, a line for each kind of cases done right

  std::vector<Speed> speeds;  ///< only where they were asked for

  bool passed() const { return failures.empty() && done > 0; }
};

/// `on_failure` hears of each failure at once.
Report conform(const Plugin& plugin, const Options& options,
               const std::function<void(const Failure&)>& on_failure = {});

/// {"passed": …, "done": …, "declined": …, "failures": [{"case": …, "check": …, "text": …}],
///  "accuracy": [{"kind": …, "ulp": …, "of_bound": …, "case": …}],
///  "speeds": [{"name": …, "seconds": …, "reference": …, "of_limit": …}]}
std::string to_json(const Report& report);

}  // namespace torchlight::test
