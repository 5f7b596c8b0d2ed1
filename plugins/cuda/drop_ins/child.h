#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

/// A child process that runs somebody else's code, watched. Used by the plug-in for its helper, and by
/// the helper for the steps of its probe.
namespace torchlight::drop_ins {

using Clock = std::chrono::steady_clock;
Clock::time_point after(double seconds);

class Child {
 public:
  enum class Event { readable, over, late };

  Child() = default;
  /// Takes over a process that leads a group of its own, and the end of the pipe into which it prints.
  Child(pid_t pid, int printed);
  Child(Child&& other) noexcept { *this = static_cast<Child&&>(other); }
  Child& operator=(Child&& other) noexcept;
  /// Kills the whole group.
  ~Child();

  explicit operator bool() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  /// Waits until there is something to read from `fd` (none: -1), the child is over, or it is late.
  /// Whatever it prints is taken off its hands meanwhile, or it might wait for that; the beginning is
  /// kept.
  Event wait(int fd, Clock::time_point until);
  /// "ended its process with exit(1), after printing "no driver"". REQUIRES: it is over.
  std::string how_it_ended() const;
  /// `, after printing "…"`, or nothing.
  std::string printed() const;
  void forget_printed() { text_.clear(); }
  void kill();
  /// In a fork of the process that started it, the child is somebody else's.
  void abandon();

 private:
  bool is_over();
  void read_printed();

  pid_t pid_ = -1;
  int printed_ = -1;
  bool over_ = false;
  int status_ = -1;
  std::string text_;
};

/// The first line that has something in it, cut, and without what a terminal might obey.
std::string first_line(const std::string& text);

}  // namespace torchlight::drop_ins
