#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plugin.h"

/// Everything that is asked of a plug-in, tried on one that is open.
namespace torchlight::test {

struct Options {
  std::string part;                     ///< an operation's name, "device" or "random_case"; empty: all
  std::string only;                     ///< cases whose name contains this; empty: all
  bool complete = false;                ///< declining what the contract lists is a failure
  std::uint64_t random_cases = 10'000;  ///< how many cases that nobody thought of
  std::uint64_t seed = 1;               ///< of the first of them; the others follow
  std::size_t most_failures = 25;       ///< give up after so many
};

struct Failure {
  std::string name;   ///< of the case
  std::string check;  ///< which check found it
  std::string text;   ///< what is wrong
};

struct Report {
  std::uint64_t done = 0;      ///< cases the plug-in did and did right
  std::uint64_t declined = 0;  ///< cases it declined
  std::vector<Failure> failures;

  bool passed() const { return failures.empty() && done > 0; }
};

/// `on_failure` hears of each failure at once.
Report conform(const Plugin& plugin, const Options& options,
               const std::function<void(const Failure&)>& on_failure = {});

/// {"passed": …, "done": …, "declined": …, "failures": [{"case": …, "check": …, "text": …}]}
std::string to_json(const Report& report);

}  // namespace torchlight::test
