// Compiles whole CUDA programs for the twin and runs them, each in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "compiler/toolchain.h"

/// With a cache in the build tree.
twin::Toolchain& toolchain();

struct Output {
  int status = 0;
  std::string text;                  // stdout and stderr
  std::vector<std::string> reports;  // what the twin said, line by line
};

/// A program of these files; the path of the executable. Throws twin::CompileError.
std::string compile_program(const std::vector<std::string>& files,
                            const std::vector<std::string>& options = {});

/// Runs a command with further variables of the environment ("A=1").
Output run(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});

/// How many schedules of a program are tried: TWIN_SEEDS, or 2.
int seeds();

/// The files of a folder of this directory that end so, in order.
std::vector<std::string> sources(const std::string& folder, const std::string& ending);
