#include "supervise.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace twin_command {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double most_of_clang = 300;  // seconds for which the clock may stand still
constexpr double grace = 2;            // in which a launch that reached the limit says so itself

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Whether the twin inside waits for clang: its time is no fault of the program's.
bool compiles(pid_t child) {
  const std::string tasks = "/proc/" + std::to_string(child) + "/task";
  DIR* const folder = opendir(tasks.c_str());
  if (!folder) return false;
  bool found = false;
  while (const dirent* task = readdir(folder)) {
    if (task->d_name[0] == '.') continue;
    std::ifstream children(tasks + "/" + task->d_name + "/children");
    for (std::string id; children >> id;)
      found = found || line_of("/proc/" + id + "/comm").starts_with("clang");
  }
  closedir(folder);
  return found;
}

double megabytes_of(pid_t child) {
  std::ifstream file("/proc/" + std::to_string(child) + "/statm");
  double whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

[[noreturn]] void become(const Child& child) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Copies first: one of them may be the number that another goes to.
  const int in = fcntl(child.in, F_DUPFD, 3), out = fcntl(child.out, F_DUPFD, 3),
            error = fcntl(child.error, F_DUPFD, 3);
  dup2(in, 0), dup2(out, 1), dup2(error, 2);
  close(in), close(out), close(error);
  for (const auto& [name, value] : child.environment)
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : child.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  std::fprintf(stderr, "twin: %s can't be run: %s\n", words[0], std::strerror(errno));
  _exit(127);
}

}  // namespace

MemoryFile::MemoryFile(const char* name) : descriptor_(memfd_create(name, 0)) {
  if (descriptor_ < 0)
    throw std::runtime_error(std::string("no memory for ") + name + ": " + std::strerror(errno));
}
MemoryFile::~MemoryFile() { close(descriptor_); }

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

std::string MemoryFile::rest(std::uint64_t from) const {
  std::string text;
  char part[65536];
  ssize_t got;
  while ((got = pread(descriptor_, part, sizeof part, static_cast<off_t>(from + text.size()))) > 0)
    text.append(part, static_cast<std::size_t>(got));
  return text;
}
std::string MemoryFile::content() const { return rest(0); }

void MemoryFile::write(const void* bytes, std::uint64_t count, std::uint64_t at) {
  for (std::uint64_t written = 0; written < count;) {
    const ssize_t got = pwrite(descriptor_, static_cast<const char*>(bytes) + written, count - written,
                               static_cast<off_t>(at + written));
    if (got <= 0)
      throw std::runtime_error(std::string("no memory for a child's input: ") + std::strerror(errno));
    written += static_cast<std::uint64_t>(got);
  }
}

void MemoryFile::read(void* bytes, std::uint64_t count, std::uint64_t at) const {
  for (std::uint64_t done = 0; done < count;) {
    const ssize_t got = pread(descriptor_, static_cast<char*>(bytes) + done, count - done,
                              static_cast<off_t>(at + done));
    if (got <= 0) throw std::runtime_error("a child's output is shorter than it was");
    done += static_cast<std::uint64_t>(got);
  }
}

Ended supervise(const Child& child) {
  const pid_t id = fork();
  if (id < 0) throw std::runtime_error(std::string("no process for a child: ") + std::strerror(errno));
  if (id == 0) become(child);
  Ended ended;
  int status = 0;
  rusage usage{};
  double compiled = 0;
  auto last = Clock::now();
  for (useconds_t pause = 500;; pause = std::min<useconds_t>(pause * 2, 10'000)) {
    const pid_t got = wait4(id, &status, WNOHANG, &usage);
    if (got == id || (got < 0 && errno != EINTR)) break;
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last).count();
    last = now;
    if (compiled < most_of_clang && compiles(id))
      compiled += passed;
    else
      ended.seconds += passed;
    ended.megabytes = std::max(ended.megabytes, megabytes_of(id));
    const Limits& limits = child.limits;
    ended.out_of_time =
        ended.out_of_time || (limits.seconds > 0 && ended.seconds > limits.seconds + grace);
    ended.out_of_memory =
        ended.out_of_memory || (limits.megabytes > 0 && ended.megabytes > limits.megabytes);
    if (ended.out_of_time || ended.out_of_memory) kill(id, SIGKILL);
    if (child.often) child.often();
    usleep(pause);
  }
  if (child.often) child.often();
  ended.megabytes = std::max(ended.megabytes, static_cast<double>(usage.ru_maxrss) / 1024);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return ended;
}

std::string text_of(const Ended& ended, const Limits& limits) {
  char text[96];
  if (ended.out_of_time)
    std::snprintf(text, sizeof text, "stopped after %g s (--time-limit)", limits.seconds);
  else if (ended.out_of_memory)
    std::snprintf(text, sizeof text, "stopped at %.0f MB of memory (--memory-limit)", ended.megabytes);
  else if (ended.signal)
    std::snprintf(text, sizeof text, "ended by %s", strsignal(ended.signal));
  else
    std::snprintf(text, sizeof text, "exit status %d", ended.status);
  return text;
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace twin_command
