// What `torchlight twin` is told, and its parts. Each of them gives the exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace twin_command {

/// Something that the user should have said differently: exit status 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum Status { done = 0, failed = 1, bad_input = 2 };

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> compile;    ///< -D… -I… -U… -std=…
  std::vector<std::string> arguments;  ///< of the program: what stands behind --
  bool check = false;
  bool profile = false;
  std::uint64_t seeds = 0;          ///< how many permuted schedules beside the ordinary one
  std::optional<std::string> json;  ///< a file; empty: standard output
  double time_limit = 0;            ///< seconds of a run; 0: none
  double memory_limit = 0;          ///< megabytes; 0: none
  // ---- kernels alone
  std::vector<std::string> launches, saves, expectations;
  double tolerance = 0;  ///< 0: by what is compared
  // ---- exercises
  std::string op;
  std::optional<std::uint64_t> seed;
  bool hide_seed = false;
};

int run_program(const Options& options);
int run_launches(const Options& options, const std::vector<std::string>& words);
int judge_exercise(const Options& options);
int list_exercises();

/// The other sides of run_launches and judge_exercise, each in a process of its own.
int launch_worker(const Options& options, const std::string& report);
int exercise_worker(const std::string& plan);

}  // namespace twin_command
