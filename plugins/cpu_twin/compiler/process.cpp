#include "compiler/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "error.h"

extern char** environ;

namespace twin {
namespace {

using Clock = std::chrono::steady_clock;

class Spawn {
 public:
  explicit Spawn(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, output, 2);
    // A group of its own, so that what it starts ends with it; and no signal is kept from it.
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  int start(pid_t* child, const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    return posix_spawnp(child, words[0], &actions_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// Reads until the other side closes; false where time is up before.
bool read_all(int from, Clock::time_point end, std::string* output) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{from, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
    char bytes[4096];
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return true;
    if (got > 0 && output->size() < (1U << 20)) output->append(bytes, static_cast<size_t>(got));
  }
}

}  // namespace

Ran run_program(const std::vector<std::string>& command, int seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw CompileError(std::string("can't make a pipe: ") + std::strerror(errno));
  pid_t child = 0;
  const int problem = Spawn(ends[1]).start(&child, command);
  close(ends[1]);
  if (problem != 0) {
    close(ends[0]);
    throw CompileError("can't run " + command[0] + ": " + std::strerror(problem));
  }
  Ran ran;
  ran.timed_out = !read_all(ends[0], Clock::now() + std::chrono::seconds(seconds), &ran.output);
  close(ends[0]);
  if (ran.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

}  // namespace twin
