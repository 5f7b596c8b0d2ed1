// Runs a program within limits, and says how it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace twin_command {

/// A file in memory that a child can open by its path; it lives as long as this.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string path() const;  ///< for this process and its children
  std::string content() const;
  std::string rest(std::uint64_t from) const;
  void write(const void* bytes, std::uint64_t count, std::uint64_t at = 0);
  void read(void* bytes, std::uint64_t count, std::uint64_t at) const;

 private:
  int descriptor_;
};

struct Limits {
  double seconds = 0;    ///< without what clang takes; 0: none
  double megabytes = 0;  ///< of memory in use; 0: none
};

struct Child {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment =
      {};                          ///< on top of ours; empty values are unset
  int in = 0, out = 1, error = 2;  ///< descriptors of ours
  Limits limits = {};
  std::function<void()> often = {};  ///< called now and then while it runs
};

struct Ended {
  int status = 0;  ///< exit status, where no signal ended it
  int signal = 0;
  bool out_of_time = false, out_of_memory = false;
  double seconds = 0;    ///< without what clang took
  double megabytes = 0;  ///< the most that it had in use
  bool well() const { return status == 0 && signal == 0 && !out_of_time && !out_of_memory; }
};

Ended supervise(const Child& child);

/// "ended by Segmentation fault", "stopped after 2 s (--time-limit)", "exit status 3".
std::string text_of(const Ended& ended, const Limits& limits);

std::string own_program();

}  // namespace twin_command
