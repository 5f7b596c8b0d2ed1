#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace torchlight::test {

/// Where a child's standard output goes: something that we read, or something that can't be written to.
enum class Stdout { pipe, terminal, closed, full_disk, closed_pipe };

struct Launch {
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< on top of ours
  Stdout out = Stdout::pipe;
  int ignored_signal = 0;  ///< what the command finds ignored when it starts
};

struct Result {
  int status = 0;  ///< the exit status, or minus the signal that ended it
  std::string out, error;
};

/// The torchlight command in a process of its own. A child that says nothing for ten minutes is killed, so
/// that a fault shows as a failure and not as a hang.
class Process {
 public:
  explicit Process(const Launch& launch);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Reads until `text` stands in the output; false if the process ended before.
  bool read_until(const std::string& text);
  void send(int signal) const;
  /// Reads to the end.
  Result wait();

 private:
  bool read_some();

  pid_t child_ = -1;
  int out_ = -1, error_ = -1;
  Result result_;
};

/// Runs the command to its end.
Result run(const Launch& launch);
Result run(const std::vector<std::string>& arguments);

}  // namespace torchlight::test
