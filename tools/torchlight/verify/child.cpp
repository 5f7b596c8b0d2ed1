#include "verify/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace command {
namespace {

constexpr std::size_t most_output = 16384;

/// A file in memory, which a child opens by its path.
class SharedFile {
 public:
  explicit SharedFile(const char* name) : descriptor_(memfd_create(name, 0)) {
    if (descriptor_ < 0) throw std::runtime_error(std::string("no memory for ") + name);
  }
  ~SharedFile() { ::close(descriptor_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// To be read from the beginning.
  void write(const std::string& text) {
    if (::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("no memory for a child's input");
  }
  /// Its path in this process and in a child.
  std::string path() const { return "/dev/fd/" + std::to_string(descriptor_); }
  std::string content() const {
    std::string text;
    char part[4096];
    ssize_t count;
    while ((count = ::pread(descriptor_, part, sizeof part, static_cast<off_t>(text.size()))) > 0)
      text.append(part, static_cast<std::size_t>(count));
    return text;
  }

 private:
  int descriptor_;
};

std::string activity_in(const SharedFile& file) { return file.content().c_str(); }

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments, int in,
                         int out) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  const std::string why = program + " can't be run: " + std::strerror(errno) + "\n";
  static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
  ::_exit(127);
}

using Clock = std::chrono::steady_clock;

/// Reads what the child says until it closes its output or has been at the same for too long.
bool listen(int pipe, const SharedFile& activity, double patience, std::string& output) {
  std::string before;
  auto since = Clock::now();
  for (;;) {
    pollfd ready{pipe, POLLIN, 0};
    const int count = ::poll(&ready, 1, 200);
    if (count > 0) {
      char part[4096];
      const ssize_t got = ::read(pipe, part, sizeof part);
      if (got <= 0) return true;
      output.append(part, static_cast<std::size_t>(got));
      if (output.size() > 2 * most_output) output.erase(0, output.size() - most_output);
      since = Clock::now();
    }
    if (std::string now = activity_in(activity); now != before)
      before = std::move(now), since = Clock::now();
    if (std::chrono::duration<double>(Clock::now() - since).count() > patience) return false;
  }
}

}  // namespace

Outcome run_child(const std::string& program, std::vector<std::string> arguments,
                  const std::string& input, double patience) {
  const SharedFile json("json"), activity("activity");
  SharedFile in("input");
  in.write(input);
  arguments.insert(arguments.end(), {"--json", json.path(), "--activity", activity.path()});
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to a child");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process for a child");
  if (child == 0) become(program, arguments, in.descriptor(), pipe[1]);
  ::close(pipe[1]);

  Outcome outcome;
  outcome.timed_out = !listen(pipe[0], activity, patience, outcome.output);
  ::close(pipe[0]);
  if (outcome.timed_out) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.json = json.content();
  outcome.activity = activity_in(activity);
  return outcome;
}

}  // namespace command
