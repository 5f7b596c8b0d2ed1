#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace test {
namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    ::close(read_end);
    if (write_end >= 0) ::close(write_end);
  }
  void close_write_end() {
    ::close(write_end);
    write_end = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& string : strings) list.push_back(string.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> variables(const Environment& environment) {
  std::vector<std::string> list;
  for (const auto& [name, value] : environment) list.push_back(name + "=" + value);
  for (const char* inherited :
       {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "PATH"})
    if (const char* value = std::getenv(inherited))
      list.push_back(std::string(inherited) + "=" + value);
  return list;
}

/// Reads both pipes until their writers are gone. False if that takes too long.
bool drain(const Pipe& out, const Pipe& err, Outcome& outcome, int seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  pollfd waiting[] = {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}};
  std::string* texts[] = {&outcome.output, &outcome.log};
  int open = 2;
  while (open > 0) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    ::poll(waiting, 2,
           static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count()) + 1);
    for (int i = 0; i < 2; ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = ::read(waiting[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(got));
      } else {
        waiting[i].fd = -1;
        --open;
      }
    }
  }
  return true;
}

}  // namespace

int Outcome::logged(const std::string& part) const {
  int count = 0;
  for (std::size_t at = 0; (at = log.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

Outcome run_child(const std::vector<std::string>& command, const Environment& environment,
                  int seconds) {
  std::vector<std::string> arguments = command, settings = variables(environment);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(settings);
  Pipe out, err;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out.write_end, STDOUT_FILENO);
    ::dup2(err.write_end, STDERR_FILENO);
    ::setpgid(0, 0);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  out.close_write_end();
  err.close_write_end();
  Outcome outcome;
  outcome.timed_out = !drain(out, err, outcome, seconds);
  if (outcome.timed_out) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

}  // namespace test
