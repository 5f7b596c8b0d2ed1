#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/sanitizers.h"

/// Child processes for tests of what happens to a whole process.
namespace child {

/// AddressSanitizer's allocator keeps its locks over a fork: where another thread allocates at that moment,
/// the child waits for ever in malloc, whatever is tested.
inline constexpr bool sanitizer_allocates = torchlight::under_address_sanitizer;

inline constexpr unsigned hang_seconds = 120;  // a child that takes that long hangs, and is killed

/// The exit status; 1000 + the signal for one that was killed.
inline int wait_for(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// body() in a forked child, which ends with exit: handlers and destructors run. Gives the exit status.
inline int run(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(hang_seconds);
    int status = 99;
    try {
      status = body();
    } catch (const std::exception&) {
      status = 98;
    }
    _exit(status);
  }
  return wait_for(pid);
}

struct Output {
  int status;
  std::string text;  // of both standard output and standard error
};

/// A program started anew with some variables set, after `prepare` ran in the child.
inline Output program(
    const std::vector<std::string>& command,
    const std::vector<std::pair<std::string, std::string>>& variables = {},
    const std::function<void()>& prepare = [] {}) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, "no pipe"};
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    prepare();
    alarm(hang_seconds);
    std::vector<char*> arguments;
    for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  Output output{0, {}};
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  output.status = wait_for(pid);
  return output;
}

}  // namespace child
