// Device memory of the twin: the host's, and known piece by piece, so that an address says what it belongs to.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace twin {

enum class MemoryKind : uint8_t { device, pinned, managed, variable };

struct Allocation {
  char* base = nullptr;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  uint64_t number = 0;  // the how manieth it is
  bool freed = false;
  std::string name;  // of a variable
};

class Memory {
 public:
  static Memory& of_process();

  /// Null where there is none left.
  void* allocate(uint64_t bytes, MemoryKind kind);
  /// False for what is no allocation, or was freed before.
  bool release(void* pointer);
  void add_variable(void* pointer, uint64_t bytes, const std::string& name);
  void remove_variable(void* pointer);

  /// The allocation that an address is in, or null. Freed ones count while their memory is held back.
  const Allocation* find(uint64_t address) const;
  /// What stands next to an address, for a message.
  std::string describe(uint64_t address) const;
  std::vector<Allocation> living() const;
  uint64_t bytes_used() const;
  /// Another number whenever something was allocated or freed.
  uint64_t state() const { return state_.load(std::memory_order_relaxed); }
  /// Keeps freed memory back, so that its use is noticed, and lets nothing be reused.
  void set_careful(bool careful) { careful_ = careful; }
  /// Keeps device memory out of the host's reach but where a Visible lives, as a GPU does: whoever touches it crashes.
  /// For tests of host code; before the first allocation.
  void hide() { hidden_ = true; }
  bool is_hidden() const { return hidden_; }

  /// Whatever stands for the device has one while it works.
  class Visible {
   public:
    Visible() { of_process().show(1); }
    ~Visible() { of_process().show(-1); }
    Visible(const Visible&) = delete;
    Visible& operator=(const Visible&) = delete;
  };

 private:
  void show(int more);
  void protect(const Allocation& allocation) const;

  mutable std::mutex lock_;
  std::map<uint64_t, Allocation> by_end_;  // by the address behind it
  std::atomic<uint64_t> state_{1};
  uint64_t count_ = 0, used_ = 0;
  bool careful_ = false, hidden_ = false;
  int shown_ = 0;
};

}  // namespace twin
