#pragma once

#include <map>
#include <string>
#include <vector>

namespace test {

/// What became of a child process.
struct Outcome {
  int exit_code = -1;  ///< -1 where a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string output;  ///< standard output
  std::string log;     ///< standard error

  bool ended_well() const { return exit_code == 0 && !timed_out; }
  bool says(const std::string& part) const { return output.find(part) != std::string::npos; }
  bool logs(const std::string& part) const { return log.find(part) != std::string::npos; }
  /// How often a part is in the log.
  int logged(const std::string& part) const;
};

using Environment = std::map<std::string, std::string>;

/// Runs a program with these variables and nothing else (but what sanitizers need), and waits for it, at
/// most `seconds`.
Outcome run_child(const std::vector<std::string>& command, const Environment& environment,
                  int seconds = 60);

}  // namespace test
