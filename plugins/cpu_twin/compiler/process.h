// Runs a program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace twin {

struct Ran {
  int status = -1;  // the exit status; 128 + signal
  bool timed_out = false;
  std::string output;  // stdout and stderr together
};

/// Throws CompileError where the program can't be started at all.
Ran run_program(const std::vector<std::string>& command, int seconds);

}  // namespace twin
