#include "host.h"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

namespace torchlight::test {
namespace {

using Body = void (*)(void*, std::uint64_t) noexcept;

struct Job {
  std::uint64_t count;
  Body body;
  void* context;
  std::atomic<std::uint64_t> next{0};

  void work() {
    for (std::uint64_t i; (i = next.fetch_add(1)) < count;) body(context, i);
  }
};

thread_local bool inside = false;

/// Threads that wait for one job at a time. Slow and simple.
class Pool {
 public:
  std::atomic<std::uint32_t> threads{1};
  std::atomic<bool> backwards{false};

  /// Starts what is missing, so that a later run needs no memory. A thread takes some as it begins, so each is
  /// waited for.
  void grow() {
    for (; started_ + 1 < threads; ++started_) std::thread([this] { serve(); }).detach();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return ready_ == started_; });
  }

  void run(Job& job) {
    std::unique_lock lock(mutex_);
    job_ = &job;
    helpers_wanted_ = threads - 1;
    lock.unlock();
    wake_.notify_all();
    job.work();
    lock.lock();
    helpers_wanted_ = 0;
    job_ = nullptr;
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void serve() {
    inside = true;
    std::unique_lock lock(mutex_);
    ++ready_;
    done_.notify_all();
    for (;;) {
      wake_.wait(lock, [this] { return helpers_wanted_ > 0; });
      --helpers_wanted_;
      ++busy_;
      Job* job = job_;
      lock.unlock();
      job->work();
      lock.lock();
      if (--busy_ == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::uint32_t started_ = 0;  // by the one thread that sets the workers
  std::uint32_t ready_ = 0, helpers_wanted_ = 0, busy_ = 0;
  Job* job_ = nullptr;
};

Pool& pool() {
  static auto* p = new Pool;
  return *p;
}

std::uint32_t concurrency() noexcept { return pool().threads; }

void run(std::uint64_t count, Body body, void* context) noexcept {
  if (inside || pool().threads == 1) {
    const bool backwards = pool().backwards;
    for (std::uint64_t i = 0; i < count; ++i) body(context, backwards ? count - 1 - i : i);
    return;
  }
  inside = true;
  Job job{count, body, context};
  pool().run(job);
  inside = false;
}

constexpr tl_host_parallel parallel = {sizeof(tl_host_parallel), 1, concurrency, run};

}  // namespace

void set_workers(Workers workers) {
  pool().threads = workers.threads;
  pool().backwards = workers.backwards;
  pool().grow();
}

TestHost::TestHost(std::map<std::string, std::string> settings)
    : face_{{sizeof(tl_host), TL_ABI_MAJOR, TL_ABI_MINOR, TORCHLIGHT_VERSION, write_log, setting,
             extension},
            this},
      settings_(std::move(settings)) {}

void TestHost::write_log(const tl_host* host, std::uint32_t, const char* text) noexcept {
  reinterpret_cast<const Face*>(host)->self->log_.emplace_back(text);
}

const char* TestHost::setting(const tl_host* host, const char* name) noexcept {
  const auto& settings = reinterpret_cast<const Face*>(host)->self->settings_;
  const auto found = settings.find(name);
  return found == settings.end() ? nullptr : found->second.c_str();
}

const void* TestHost::extension(const tl_host*, const char* id) noexcept {
  return std::strcmp(id, TL_EXT_HOST_PARALLEL) == 0 ? &parallel : nullptr;
}

}  // namespace torchlight::test
