#include "support/thread_pool.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <torchlight/threads.h>
#include <unistd.h>
#include <csignal>

#include <chrono>

#include "bench.h"
#include "support/cpu_limit.h"

namespace bench {
namespace {

namespace pool = torchlight::pool;

// Some microseconds of arithmetic.
void work_a_little(std::uint64_t steps) noexcept {
  double x = 1;
  for (std::uint64_t i = 0; i < steps; ++i) x = x * 0.999 + 0.5;
  use(x);
}

void with_threads(std::uint32_t threads, std::uint64_t chunks, std::uint64_t steps) {
  if (pool::concurrency() != threads) pool::set_concurrency(threads);
  pool::parallel(chunks, [steps](std::uint64_t) noexcept { work_a_little(steps); });
}

// Long enough for workers to fall asleep.
constexpr std::chrono::microseconds pause{50};

void wait() {
  const auto end = std::chrono::steady_clock::now() + pause;
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

Rows pool() {
  const std::uint32_t threads = torchlight::usable_cpus();
  return {{"empty region of 16 chunks", repeat([=] { with_threads(threads, 16, 0); })},
          {.name = "empty region of 16 chunks, workers asleep",
           .run = repeat([=] {
             wait();
             with_threads(threads, 16, 0);
           }),
           .waiting = std::chrono::nanoseconds(pause).count()}};
}

Rows pool_work(const std::string& circumstances) {
  const std::uint32_t threads = torchlight::usable_cpus();
  Rows rows;
  for (const std::uint64_t steps : {1000u, 10000u, 100000u}) {
    const std::string name = "region of 32 x " + std::to_string(steps) + " steps" + circumstances;
    rows.push_back({name + ", one thread", repeat([=] { with_threads(1, 32, steps); })});
    rows.push_back({name + ", all threads", repeat([=] { with_threads(threads, 32, steps); }), 0, "ns",
                    name + ", one thread", 1});
  }
  return rows;
}

Neighbours::Neighbours() {
  for (std::uint32_t i = 0; i < torchlight::usable_cpus(); ++i) {
    const int process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) work_a_little(1000);
    }
    processes_.push_back(process);
  }
}

Neighbours::~Neighbours() {
  for (const int process : processes_) {
    if (process <= 0) continue;
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

}  // namespace bench
