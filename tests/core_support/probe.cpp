// A fresh process for the tests of this folder: says what the library makes of its surroundings.
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "support/environment.h"
#include "support/log.h"
#include "support/thread_pool.h"

using namespace torchlight;

namespace {

int threads() {
  std::cout << pool::concurrency() << "\n";
  return 0;
}

int log_lines() {
  log::write(log::Level::trace, "a trace line");
  log::debug("a debug line");
  log::info("an info line");
  log::warn("a warn line");
  log::error("an error line\nwith \x1b[31ma break");
  return 0;
}

// What a variable was at first use and is now, after the program changed it.
int changed_variables() {
  const auto show = [](const char* what, const std::optional<std::string>& value) {
    std::cout << what << "=" << value.value_or("(nothing)") << "\n";
  };
  show("first", environment::get("TORCHLIGHT_SIMD"));
  setenv("TORCHLIGHT_SIMD", "changed", 1);
  setenv("TORCHLIGHT_DEVICE", "changed", 1);
  show("later", environment::get("TORCHLIGHT_SIMD"));
  show("device_first", environment::get("TORCHLIGHT_DEVICE"));
  show("device_now", environment::device_now());
  return 0;
}

// main returns while another thread and the workers are in the middle of a job.
int exit_while_busy() {
  std::atomic<bool> started{false};
  static std::atomic<std::uint64_t> work{0};
  std::thread([&started] {
    for (;;)
      pool::parallel(64, [&started](std::uint64_t) noexcept {
        for (int i = 0; i < 10000; ++i) work.fetch_add(1, std::memory_order_relaxed);
        if (work < 100000000) started = true;
      });
  }).detach();
  while (!started) std::this_thread::yield();
  std::exit(0);
}

struct LogsAtTheEnd {
  ~LogsAtTheEnd() { log::warn("said after main"); }
};

int log_at_exit() {
  static const LogsAtTheEnd object;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "threads") return threads();
  if (what == "log") return log_lines();
  if (what == "log_at_exit") return log_at_exit();
  if (what == "environment") return changed_variables();
  if (what == "exit_while_busy") return exit_while_busy();
  std::cerr << "unknown probe " << what << "\n";
  return 2;
}
