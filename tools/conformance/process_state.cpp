#include "process_state.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace torchlight::test {
namespace {

std::uint64_t floating_point_mode() {
#if defined(__x86_64__)
  constexpr std::uint32_t exception_flags = 0x3f;
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return std::uint64_t{x87} << 32 | (_mm_getcsr() & ~exception_flags);
#elif defined(__aarch64__)
  std::uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
#else
#error "which register holds the rounding mode here?"
#endif
}

}  // namespace

ProcessState ProcessState::now() { return {floating_point_mode(), std::setlocale(LC_ALL, nullptr)}; }

std::string ProcessState::difference(const ProcessState& other) const {
  if (floating_point != other.floating_point) return "the floating-point mode";
  if (locale != other.locale) return "the locale";
  return {};
}

Surroundings Surroundings::now() {
  Surroundings all{ProcessState::now(), {}, 0, {}, {}};
  char directory[4096];
  if (getcwd(directory, sizeof directory)) all.directory = directory;
  all.file_mask = umask(0);
  umask(static_cast<mode_t>(all.file_mask));
  for (char** variable = environ; variable && *variable; ++variable)
    all.environment.append(*variable).append("\n");
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action = {};
    const bool known = sigaction(number, nullptr, &action) == 0;
    all.handlers.push_back(known ? reinterpret_cast<std::uintptr_t>(action.sa_handler) : 0);
  }
  return all;
}

std::string Surroundings::difference(const Surroundings& other) const {
  if (const std::string text = state.difference(other.state); !text.empty()) return text;
  if (directory != other.directory) return "the working directory";
  if (file_mask != other.file_mask) return "the mask of new files";
  if (environment != other.environment) return "the environment";
  if (handlers != other.handlers) return "a signal's handler";
  return {};
}

std::uint64_t threads_now() {
  DIR* const tasks = opendir("/proc/self/task");
  if (!tasks) return 0;
  std::uint64_t count = 0;
  while (const dirent* task = readdir(tasks)) count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

}  // namespace torchlight::test
