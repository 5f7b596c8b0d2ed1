// Runs the threads of one block, warp by warp, on the calling thread: barriers, calls and pauses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/warp.h"

namespace twin {

/// A compiled kernel.
struct Kernel {
  std::string name;
  const Code* code = nullptr;
  const Code* const* functions = nullptr;  // by module function; null for what it doesn't reach
  const Code* handles = nullptr;  // of the module: what pointers to functions hold, by module function
  size_t function_count = 0;
  int64_t shared_bytes = 0;
  uint32_t max_threads = 0;  // 0: no bound of its own
};

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

/// What went wrong in a block. `text` is complete but for the kernel's name and the source line's place.
struct Trouble {
  enum class Kind : uint8_t {
    none,
    trap,
    assertion,
    call,
    mask,
    barrier,
    endless,
    address,  // outside of what a thread may touch
    alignment,
    unwritten,  // read though nobody wrote it
    race
  };
  Kind kind = Kind::none;
  std::string text;
  uint32_t line = 0;  // packed
  Dim block, thread;
};

/// How the warps of a block take turns.
struct Schedule {
  uint64_t seed = 0;           // 0: in order, each as far as it can go
  int64_t patience = 1 << 16;  // rounds of loops before a warp lets others run
  bool strict =
      false;  // a barrier that some threads have left before is a fault, as are different ones at once
};

/// Is told what happens in a block.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(uint64_t block) = 0;
  /// `warps` is a mask of those that went through it together.
  virtual void barrier(uint32_t warps, int32_t name) = 0;
  /// A warp has come to a barrier that it doesn't wait at.
  virtual void arrive(uint32_t warp, int32_t name) = 0;
};

class Profiler;

/// Memory for a block, kept from launch to launch: a mapping costs more than many a kernel.
struct Arena {
  char* warps = nullptr;  // and the frames behind them
  size_t warps_bytes = 0;
  char* shared = nullptr;
  size_t shared_bytes = 0;
  Dim block{0, 0, 0};  // whose thread numbers the warps have

  static std::unique_ptr<Arena> take();
  static void give_back(std::unique_ptr<Arena> arena);
  void reserve(size_t warps_bytes_needed, size_t shared_bytes_needed);
  ~Arena();
};

class BlockRunner {
 public:
  BlockRunner(const Kernel& kernel, const Grid& grid, Dim block, Schedule schedule);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  enum class Outcome : uint8_t { done, trouble, at_grid_barrier };
  void begin(Dim ctaid);
  /// Runs the block that has begun to its end, to a trouble() or to where it waits for all others: call it again when
  /// they have come. `go_on()` is asked now and then; false ends the block.
  template <class GoOn> Outcome run(GoOn go_on) {
    for (;;) {
      const Step step = round();
      if (step == Step::done) return Outcome::done;
      if (step == Step::trouble) return Outcome::trouble;
      if (step == Step::grid) return Outcome::at_grid_barrier;
      if (step == Step::paused && !go_on()) return endless(), Outcome::trouble;
    }
  }
  const Trouble& trouble() const { return trouble_; }
  void report(const Warp& warp, uint32_t lane, Trouble::Kind kind, std::string text, uint32_t line);
  void observe(Observer* observer) { observer_ = observer; }
  Observer* observer() const { return observer_; }
  void count_for(Profiler* profiler) { profiler_ = profiler; }
  Profiler* profiler() const { return profiler_; }
  /// Whether an address is in memory that a thread has of its own: its arrays, or the launch's parameters.
  bool is_private(uint64_t address) const;
  const Grid& grid() const { return grid_; }
  Dim dim() const { return block_; }
  Dim ctaid() const { return ctaid_; }
  char* shared() const { return shared_; }
  size_t shared_bytes() const { return shared_bytes_; }
  uint64_t blocks_run() const { return blocks_run_; }
  Dim thread_of(uint32_t warp, uint32_t lane) const;

 private:
  enum class Step : uint8_t { going, paused, done, trouble, grid };
  enum class State : uint8_t { ready, waiting, over };

  struct Place {  // where a warp's frames of called functions are kept
    std::vector<std::unique_ptr<char[]>> pieces;
    std::vector<size_t> sizes;
    size_t depth = 0;
  };

  Step round();
  void number_threads(size_t w);
  Step run_warp(size_t w);
  bool enter_call(size_t w);
  Step release_barriers();
  bool check_arrival(size_t w);
  void release(int32_t barrier);
  bool fail(size_t w, Trouble::Kind kind, std::string text);
  bool endless();
  Step stuck();
  Frame* frame_for(size_t w, const Code* code);

  const Kernel& kernel_;
  const Grid& grid_;
  Dim block_;
  Schedule schedule_;
  size_t warps_;
  std::unique_ptr<Arena> arena_;
  Warp* warp_;  // warps_ of them
  char* frames_;
  size_t frame_bytes_;
  char* shared_;
  size_t shared_bytes_;
  std::vector<State> state_;
  std::vector<Place> calls_;
  std::vector<size_t> order_;
  std::array<uint64_t, 16> arrivals_{};  // of bar.arrive, by barrier
  std::mt19937_64 random_;
  Trouble trouble_;
  Dim ctaid_;
  uint64_t blocks_run_ = 0;
  Observer* observer_ = nullptr;
  Profiler* profiler_ = nullptr;
};

}  // namespace twin
