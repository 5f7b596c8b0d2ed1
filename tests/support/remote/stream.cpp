#include "stream.h"

#include "failure.h"

using remote::Failure;
using remote::Fate;
using remote::Work;

tl_stream::tl_stream(remote::Conditions& conditions)
    : conditions_(conditions), number_(++conditions.streams), thread_([this] { serve(); }) {}

tl_stream::~tl_stream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void tl_stream::enqueue(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (!work.always) raise_late_locked();
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void tl_stream::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || (!queue_.empty() && !paused_); });
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    const bool after_failure = !failure_.empty();
    const std::uint64_t piece = pieces_++;
    lock.unlock();
    conditions_.dawdle(number_, piece);
    std::string failure;
    bool is_lost = false;
    try {
      is_lost = perform(work, after_failure) == Fate::loses_device;
      if (is_lost) throw Failure(TL_E_DEVICE, remote::Conditions::lost_text);
    } catch (const std::exception& late) {
      failure = "late failure of " + work.operation + ": " + late.what();
    }
    work.run = nullptr;
    lock.lock();
    busy_ = false;
    if (failure_.empty()) failure_ = failure;
    if (is_lost) conditions_.lost = true;  // not before this stream can say by which operation
    changed_.notify_all();
  }
}

Fate tl_stream::perform(Work& work, bool after_failure) {
  if (work.always) work.run();  // even where it fails: nobody shall wait for it in vain
  if (after_failure) return Fate::goes_well;
  ++conditions_.finished;
  if (work.may_fail) {
    const Fate fate = conditions_.count_down();
    if (fate == Fate::fails) throw Failure(TL_E_DEVICE, "the test wanted it");
    if (fate == Fate::loses_device) return fate;
    if (conditions_.lost) throw Failure(TL_E_DEVICE, remote::Conditions::lost_text);
  }
  if (!work.always) work.run();
  return Fate::goes_well;
}

bool tl_stream::is_idle() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !busy_;
}

void tl_stream::sync() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

void tl_stream::pause() {
  std::unique_lock lock(mutex_);
  paused_ = true;
  changed_.wait(lock, [this] { return !busy_; });
}

void tl_stream::resume() {
  {
    const std::lock_guard lock(mutex_);
    paused_ = false;
  }
  changed_.notify_all();
}

void tl_stream::raise_late() {
  const std::lock_guard lock(mutex_);
  raise_late_locked();
}

void tl_stream::raise_late_locked() const {
  if (!failure_.empty()) throw Failure(TL_E_DEVICE, failure_);
  if (conditions_.lost) throw Failure(TL_E_DEVICE, remote::Conditions::lost_text);
}

void tl_stream::forgive() {
  sync();
  const std::lock_guard lock(mutex_);
  failure_.clear();
}

void tl_event::record(tl_stream& stream) {
  stream.raise_late();
  std::uint64_t mark = 0;
  {
    const std::lock_guard lock(state_->mutex);
    mark = ++state_->recorded;
  }
  const auto reach = [state = state_, mark] {
    const std::lock_guard lock(state->mutex);
    if (state->reached < mark) state->reached = mark;
    state->changed.notify_all();
  };
  stream.enqueue({"event_record", reach, true});
}

void tl_event::let_wait(tl_stream& stream) {
  stream.raise_late();
  std::uint64_t mark = 0;
  {
    const std::lock_guard lock(state_->mutex);
    mark = state_->recorded;
  }
  const auto wait = [state = state_, mark] {
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [&] { return state->reached >= mark; });
  };
  stream.enqueue({"event_wait", wait, true});
}

bool tl_event::is_reached() {
  const std::lock_guard lock(state_->mutex);
  return state_->reached >= state_->recorded;
}
