#pragma once

#include <memory>
#include <string>

#include "child.h"
#include "wire.h"

namespace torchlight::drop_ins {

/// A running drop-in-host, seen from the plug-in. Each function that returns text returns what went
/// wrong, as a sentence about the drop-in ("it crashed: Segmentation fault"), or nothing. After that it
/// is of no more use.
class HelperProcess {
 public:
  /// NULL with the reason where it doesn't start.
  static std::unique_ptr<HelperProcess> start(const std::string& program, std::string& problem);
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  ~HelperProcess();

  std::string begin(const Start& start);
  std::string read_description(Description& description, double seconds);
  /// A call. The region goes along where the helper doesn't have it yet.
  std::string call(const Call& call, const Region& region, bool is_new_region, double seconds);

 private:
  HelperProcess(Child child, int socket, pid_t owner)
      : child_(std::move(child)), socket_(socket), owner_(owner) {}
  template <class T> std::string await(T& message, double seconds);
  std::string how_it_left();

  Child child_;
  int socket_;
  pid_t owner_;
  std::uint64_t calls_ = 0;
};

}  // namespace torchlight::drop_ins
