#pragma once

#include <optional>
#include <string>
#include <vector>

namespace command {

/// What became of a program that was run in a process of its own.
struct Outcome {
  int status = 0;          ///< its exit status
  int signal = 0;          ///< that ended it, or 0
  bool timed_out = false;  ///< it said and did nothing new for too long, and was killed
  std::string output;      ///< standard output and error together, the end of it
  std::string json;        ///< what it wrote to the file of --json
  std::string activity;    ///< what it was at when it ended
};

/// Runs `program` with these arguments and `--json FILE --activity FILE` behind them, until it ends or its
/// activity stays the same for `patience` seconds.
Outcome run_child(const std::string& program, std::vector<std::string> arguments,
                  const std::string& input, double patience);

}  // namespace command
