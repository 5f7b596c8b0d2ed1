#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <torchlight/plugin.h>

#include "conditions.h"

namespace remote {

struct Work {
  std::string operation;
  std::function<void()> run;
  bool always = false;  // also after a failure: memory has to change hands, and events come
  bool may_fail = true;
};

}  // namespace remote

/// A queue of work with a thread of its own.
struct tl_stream {
 public:
  explicit tl_stream(remote::Conditions& conditions);
  ~tl_stream();  // finishes the work first

  /// Failure if the stream has failed before.
  void enqueue(remote::Work work);
  bool is_idle();
  void pause();  ///< waits for the work in progress
  void resume();
  void sync();
  /// Failure with the late error, if there was one, and on a lost device.
  void raise_late();
  void forgive();

  std::atomic<int> callers{0};  ///< how many threads are in a function that takes one at a time

 private:
  void serve();
  remote::Fate perform(remote::Work& work, bool after_failure);
  void raise_late_locked() const;

  remote::Conditions& conditions_;
  const std::uint64_t number_;
  std::uint64_t pieces_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<remote::Work> queue_;
  bool busy_ = false;
  bool paused_ = false;
  bool stop_ = false;
  std::string failure_;
  std::thread thread_;
};

/// A point in a stream; recorded again and again. Work in progress keeps the state when it is closed.
struct tl_event {
 public:
  void record(tl_stream& stream);
  void let_wait(tl_stream& stream);
  bool is_reached();

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t recorded = 0;
    std::uint64_t reached = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};
