#include "support/thread_pool.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "support/cpu_limit.h"
#include "support/floating_mode.h"
#include "support/sanitizers.h"

using namespace torchlight;

namespace {

// Sums of a series in blocks of a fixed size, as kernels do it, so that only the pool could change them.
constexpr std::uint64_t block = 1000;
constexpr std::uint64_t blocks = 700;

std::vector<float> block_sums() {
  std::vector<float> sums(blocks);
  pool::parallel(blocks, [&](std::uint64_t b) noexcept {
    float sum = 0;
    for (std::uint64_t i = b * block; i < (b + 1) * block; ++i) sum += 1.0f / static_cast<float>(i + 1);
    sums[b] = sum;
  });
  return sums;
}

// Which threads took part in a job whose chunks take a while.
std::set<pid_t> threads_of_a_job(std::uint64_t count = 64) {
  std::mutex mutex;
  std::set<pid_t> seen;
  pool::parallel(count, [&](std::uint64_t) noexcept {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < until) {
    }
    const std::lock_guard lock(mutex);
    seen.insert(gettid());
  });
  return seen;
}

std::vector<pid_t> workers() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    if (name == "torchlight") found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

// Two threads join in sooner or later, however busy the machine is.
void await_workers(std::size_t count) {
  while (threads_of_a_job().size() < count + 1) std::this_thread::yield();
}

struct Threads {
  explicit Threads(std::uint32_t count) {
    pool::set_concurrency(count);
    while (workers().size() >= count) std::this_thread::yield();  // those of before leave on their own
  }
  ~Threads() { pool::set_concurrency(before_); }
  std::uint32_t before_ = pool::concurrency();
};

}  // namespace

TEST_CASE("pool: every index runs exactly once, whatever the number of threads") {
  for (const std::uint32_t threads : {1u, 2u, 8u}) {
    const Threads set(threads);
    for (const std::uint64_t count : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1000u, 100003u}) {
      std::vector<std::atomic<int>> runs(count);
      pool::parallel(count, [&](std::uint64_t i) noexcept { ++runs[i]; });
      CHECK(std::all_of(runs.begin(), runs.end(), [](const auto& n) { return n == 1; }));
    }
  }
}

// A worker that still held the claim of a short job could take part of the next, longer one before it was
// there: an index ran twice, or the caller waited forever. It takes many jobs and threads to meet that.
TEST_CASE("pool: a long job right after a short one runs each index once") {
  const std::uint32_t before = pool::concurrency();
  pool::set_concurrency(8);
  std::vector<std::atomic<int>> ran(64);
  int wrong = 0;
  for (int repetition = 0; repetition < 50000; ++repetition)
    for (const std::uint64_t count : {2, 64}) {
      for (auto& times : ran) times = 0;
      pool::parallel(count, [&](std::uint64_t i) noexcept { ran[i].fetch_add(1); });
      for (std::uint64_t i = 0; i < count; ++i) wrong += ran[i] != 1;
    }
  CHECK(wrong == 0);
  pool::set_concurrency(before);
}

TEST_CASE("pool: what the bodies wrote is there when run returns") {
  const Threads set(4);
  for (int round = 1; round <= 500; ++round) {
    std::vector<int> values(37);
    pool::parallel(values.size(), [&](std::uint64_t i) noexcept { values[i] = round; });
    REQUIRE(std::all_of(values.begin(), values.end(), [&](int v) { return v == round; }));
  }
}

TEST_CASE("pool: workers do take part, and no more threads than asked for") {
  const Threads set(3);
  await_workers(2);
  for (int round = 0; round < 20; ++round) CHECK(threads_of_a_job().size() <= 3);
}

TEST_CASE("pool: a nested run stays in the thread that makes it") {
  const Threads set(4);
  std::atomic<int> inner_runs{0};
  std::atomic<int> strangers{0};
  pool::parallel(50, [&](std::uint64_t) noexcept {
    const pid_t outer = gettid();
    pool::parallel(20, [&](std::uint64_t) noexcept {
      ++inner_runs;
      if (gettid() != outer) ++strangers;
    });
  });
  CHECK(inner_runs == 50 * 20);
  CHECK(strangers == 0);
}

TEST_CASE("H05: four callers at once all finish, without more threads than theirs and the pool's") {
  const Threads set(3);
  std::atomic<std::uint64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        pool::parallel(10, [&](std::uint64_t i) noexcept { sum += i; });
    });
  CHECK(workers().size() <= 2);
  for (std::thread& caller : callers) caller.join();
  CHECK(sum == 4 * 200 * 45);
  CHECK(workers().size() <= 2);
}

TEST_CASE("pool: the same bits for 1, 2 and 8 threads") {
  std::vector<std::vector<float>> results;
  for (const std::uint32_t threads : {1u, 2u, 8u}) {
    const Threads set(threads);
    for (int round = 0; round < 5; ++round) results.push_back(block_sums());
  }
  for (const auto& result : results) CHECK(result == results[0]);
}

TEST_CASE("pool: the control: work cut by the number of threads does change the bits") {
  const auto sum_in_parts = [](std::uint64_t parts) {
    std::vector<float> sums(parts);
    const std::uint64_t n = blocks * block / parts;
    pool::parallel(parts, [&](std::uint64_t p) noexcept {
      for (std::uint64_t i = p * n; i < (p + 1) * n; ++i) sums[p] += 1.0f / static_cast<float>(i + 1);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0f);
  };
  CHECK(sum_in_parts(1) != sum_in_parts(2));
  CHECK(sum_in_parts(2) != sum_in_parts(8));
}

TEST_CASE("pool: resized by one thread while others use it") {
  const Threads set(2);
  std::atomic<bool> stop{false};
  std::thread resizer([&] {
    for (std::uint32_t n = 0; !stop; ++n) pool::set_concurrency(1 + n % 8);
  });
  const std::vector<float> expected = block_sums();
  for (int round = 0; round < 200; ++round) REQUIRE(block_sums() == expected);
  stop = true;
  resizer.join();
}

TEST_CASE("pool: fewer threads are fewer threads, also after there were more") {
  const Threads set(6);
  await_workers(1);
  pool::set_concurrency(2);
  while (workers().size() > 1) std::this_thread::yield();
  CHECK(threads_of_a_job().size() <= 2);
  pool::set_concurrency(1);
  CHECK(threads_of_a_job() == std::set<pid_t>{gettid()});
}

TEST_CASE("pool: a run completes while the workers get no processor at all") {
  const Threads set(3);
  await_workers(2);
  const std::vector<float> expected = block_sums();
  // A child stops the workers and no other thread, and lets them go on when told.
  int stopped[2], go_on[2];
  REQUIRE(pipe(stopped) == 0);
  REQUIRE(pipe(go_on) == 0);
  const std::vector<pid_t> all = workers();
  REQUIRE(all.size() == 2);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t tracer = fork();
  if (tracer == 0) {
    alarm(child::hang_seconds);
    char failed = 0;
    for (const pid_t worker : all) {
      if (ptrace(PTRACE_SEIZE, worker, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, worker, 0, 0) != 0)
        failed = 1;
      else
        waitpid(worker, nullptr, __WALL);
    }
    if (write(stopped[1], &failed, 1) == 1) static_cast<void>(read(go_on[0], &failed, 1) == 1);
    _exit(0);  // lets go of all
  }
  char failed = 1;
  REQUIRE(read(stopped[0], &failed, 1) == 1);
  REQUIRE_MESSAGE(failed == 0, "this test needs ptrace");
  for (int round = 0; round < 50; ++round) CHECK(block_sums() == expected);
  CHECK(threads_of_a_job() == std::set<pid_t>{gettid()});
  CHECK(write(go_on[1], "", 1) == 1);
  CHECK(child::wait_for(tracer) == 0);
  await_workers(1);  // the control: once they may, they take part again
  for (const int end : {stopped[0], stopped[1], go_on[0], go_on[1]}) close(end);
}

TEST_CASE("pool: workers round and treat denormals as the caller does") {
  const Threads set(3);
  await_workers(2);
  const std::uint64_t before = floating_mode();
  const auto others = [](std::uint64_t mode) {
    std::atomic<int> count{0};
    pool::parallel(300, [&](std::uint64_t) noexcept {
      if (floating_mode() != mode) ++count;
    });
    return count.load();
  };
  std::fesetround(FE_TOWARDZERO);
  const std::uint64_t toward_zero = floating_mode();
  const int different = others(toward_zero);
  std::fesetround(FE_TONEAREST);
  CHECK(toward_zero != before);
  CHECK(different == 0);
  CHECK(others(before) == 0);
  CHECK(floating_mode() == before);
}

TEST_CASE("H04: after a fork the child computes the same with workers of its own") {
  const Threads set(3);
  await_workers(2);
  const std::vector<float> expected = block_sums();
  while (workers().size() != 2) std::this_thread::yield();  // one that leaves may hold malloc's locks
  const int status = child::run([&] {
    if (!workers().empty()) return 1;
    if (block_sums() != expected) return 2;
    if (!under_thread_sanitizer) await_workers(2);
    return block_sums() == expected ? 0 : 3;
  });
  CHECK(status == 0);
  CHECK(block_sums() == expected);
}

TEST_CASE("H04: a fork while another thread computes hangs neither side") {
  if (child::sanitizer_allocates) return;
  const Threads set(3);
  const std::vector<float> expected = block_sums();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) block_sums();
  });
  for (int round = 0; round < 30; ++round)
    REQUIRE(child::run([&] { return block_sums() == expected ? 0 : 1; }) == 0);
  stop = true;
  other.join();
  CHECK(block_sums() == expected);
}

TEST_CASE("H04: a child of a child computes, too") {
  const Threads set(2);
  const std::vector<float> expected = block_sums();
  CHECK(child::run([&] {
          const int grandchild = child::run([&] { return block_sums() == expected ? 0 : 1; });
          return grandchild == 0 && block_sums() == expected ? 0 : 2;
        }) == 0);
}

TEST_CASE("pool: the process ends cleanly while workers are busy") {
  const auto output =
      child::program({SUPPORT_PROBE, "exit_while_busy"}, {{"TORCHLIGHT_NUM_THREADS", "4"}});
  CHECK(output.status == 0);
  CHECK(output.text.empty());
}

TEST_CASE("H05: by default no more threads than the process may use") {
  cpu_set_t mask;
  REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &mask)) ++first;
  const auto output = child::program({SUPPORT_PROBE, "threads"}, {}, [&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
  });
  CHECK(output.text == "1\n");
  const std::string all = std::to_string(usable_cpus()) + "\n";
  CHECK(child::program({SUPPORT_PROBE, "threads"}).text == all);
}

TEST_CASE("H05: TORCHLIGHT_NUM_THREADS counts where it is a sane number, else it is one warning") {
  const auto threads = [](const char* value) {
    return child::program({SUPPORT_PROBE, "threads"}, {{"TORCHLIGHT_NUM_THREADS", value}}).text;
  };
  CHECK(threads("3") == "3\n");
  CHECK(threads("1024") == "1024\n");
  const std::string fallback = std::to_string(usable_cpus()) + "\n";
  for (const std::string bad : {"0", "-1", "abc", "100000", "2x", " 2", "4294967297", "1025"}) {
    CAPTURE(bad);
    CHECK(threads(bad.c_str()) ==
          "torchlight warning: TORCHLIGHT_NUM_THREADS: expected 1 to 1024, got '" + bad + "', using " +
              fallback + fallback);
  }
}
