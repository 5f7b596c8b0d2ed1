#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace torchlight::test {
namespace {

constexpr int silence_limit_ms = 600'000;

struct Pipe {
  int read = -1, write = -1;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  return {ends[0], ends[1]};
}

// Both ends of what the child's output goes through; `read` is ours and may be -1.
Pipe make_output(Stdout kind) {
  Pipe result;
  switch (kind) {
    case Stdout::pipe: return make_pipe();
    case Stdout::closed: return result;
    case Stdout::full_disk: return {-1, ::open("/dev/full", O_WRONLY | O_CLOEXEC)};
    case Stdout::closed_pipe:
      result = make_pipe();
      ::close(std::exchange(result.read, -1));
      return result;
    case Stdout::terminal: {
      winsize size{25, 100, 0, 0};
      if (::openpty(&result.read, &result.write, nullptr, nullptr, &size) != 0) std::abort();
      ::fcntl(result.read, F_SETFD, FD_CLOEXEC);
      ::fcntl(result.write, F_SETFD, FD_CLOEXEC);
      return result;
    }
  }
  return result;
}

[[noreturn]] void become_command(const Launch& launch, int out, int error) {
  ::dup2(error, STDERR_FILENO);
  if (out >= 0)
    ::dup2(out, STDOUT_FILENO);
  else
    ::close(STDOUT_FILENO);
  // What the terminal of the tests says, and who started them, must not matter.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, signal == launch.ignored_signal ? SIG_IGN : SIG_DFL);
  for (const char* name : {"NO_COLOR", "TORCHLIGHT_DEVICE", "TORCHLIGHT_LOG"}) ::unsetenv(name);
  ::setenv("TERM", "xterm", 1);
  for (const auto& [name, value] : launch.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments{const_cast<char*>("torchlight")};
  for (const std::string& argument : launch.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(TORCHLIGHT_COMMAND, arguments.data());
  std::perror(TORCHLIGHT_COMMAND);
  ::_exit(127);
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

// Appends what is there to read; closes at the end.
void drain(int& descriptor, std::string& text) {
  char buffer[4096];
  const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
  if (count > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  else
    close_if_open(descriptor);
}

}  // namespace

Process::Process(const Launch& launch) {
  Pipe out = make_output(launch.out), error = make_pipe();
  child_ = ::fork();
  if (child_ == 0) become_command(launch, out.write, error.write);
  close_if_open(out.write);
  close_if_open(error.write);
  out_ = out.read;
  error_ = error.read;
}

Process::~Process() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  close_if_open(out_);
  close_if_open(error_);
}

bool Process::read_some() {
  pollfd files[] = {{out_, POLLIN, 0}, {error_, POLLIN, 0}};
  if (out_ < 0 && error_ < 0) return false;
  if (::poll(files, 2, silence_limit_ms) <= 0) {
    ::kill(child_, SIGKILL);
    result_.error += "killed: it said nothing for ten minutes";
    return false;
  }
  if (files[0].revents != 0) drain(out_, result_.out);
  if (files[1].revents != 0) drain(error_, result_.error);
  return true;
}

bool Process::read_until(const std::string& text) {
  while (result_.out.find(text) == std::string::npos)
    if (!read_some()) return false;
  return true;
}

void Process::send(int signal) const { ::kill(child_, signal); }

Result Process::wait() {
  while (read_some()) {
  }
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result_;
}

Result run(const Launch& launch) { return Process(launch).wait(); }
Result run(const std::vector<std::string>& arguments) { return run(Launch{arguments}); }

}  // namespace torchlight::test
