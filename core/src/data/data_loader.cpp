#include <torchlight/data/data_loader.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <torchlight/autograd.h>

#include "support/text.h"

namespace torchlight::data {

std::shared_ptr<const Sampler> make_sampler(std::int64_t size, const DataLoaderOptions& options) {
  if (options.batch_size < 1)
    throw Error(text("DataLoader: batch_size is ", options.batch_size, "; it must be at least 1"));
  constexpr std::int64_t most = 1 << 20;
  if (options.prefetch < 0 || options.prefetch > most)
    throw Error(text("DataLoader: prefetch is ", options.prefetch, "; it must be from 0 to ", most));
  if (options.sampler) {
    if (options.shuffle || options.seed)
      throw Error("DataLoader: a sampler decides the order; leave out shuffle and seed");
    return options.sampler;
  }
  if (options.shuffle)
    return std::make_shared<RandomSampler>(size, RandomSamplerOptions{.seed = options.seed});
  return std::make_shared<SequentialSampler>(size);
}

struct Prefetcher::State {
  State(std::int64_t n, std::int64_t how_far, std::function<void(std::int64_t)> fn)
      : count(n), ahead(how_far), prepare(std::move(fn)) {}

  void run(bool with_history);

  const std::int64_t count, ahead;
  const std::function<void(std::int64_t)> prepare;
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t wanted = 0;  // the number that is waited for or in use
  std::int64_t done = 0;    // numbers below it are prepared
  bool stop = false;
  std::exception_ptr failure;  // of number `done`
  std::thread thread;
};

void Prefetcher::State::run(bool with_history) {
  const no_grad guard(!with_history);
  std::unique_lock lock(mutex);
  while (done < count) {
    changed.wait(lock, [this] { return stop || done <= wanted + ahead; });
    if (stop) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      prepare(done);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    failure = thrown;
    if (!thrown) ++done;
    changed.notify_all();
    if (thrown) return;
  }
}

Prefetcher::Prefetcher(std::int64_t count, std::int64_t ahead,
                       std::function<void(std::int64_t)> prepare)
    : state_(std::make_unique<State>(count, ahead, std::move(prepare))) {
  state_->thread = std::thread([state = state_.get(), grad = is_grad_enabled()] { state->run(grad); });
}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

void Prefetcher::wait(std::int64_t i) {
  std::unique_lock lock(state_->mutex);
  state_->wanted = std::max(state_->wanted, i);
  state_->changed.notify_all();
  state_->changed.wait(lock, [&] { return state_->done > i || state_->failure; });
  if (state_->done <= i) std::rethrow_exception(state_->failure);
}

}  // namespace torchlight::data
