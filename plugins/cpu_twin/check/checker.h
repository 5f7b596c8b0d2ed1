// Looks at every access to memory of a kernel: whether it may be there, and whether it is in order with the accesses
// of other threads. Threads are in order by barriers, for whole warps; lanes of a warp by the operations that name
// them; blocks not at all, but that what one wrote before a fence may be read by others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/shadow.h"
#include "engine/engine.h"
#include "runtime/block.h"
#include "runtime/memory.h"

namespace twin {

class LoadedModule;

/// "reads", "writes" or "changes".
const char* verb(uint32_t access_kind);

class Checker final : public Observer {
  using Clock = std::array<uint32_t, 32>;
  /// What may be a fault, and is reported at the end of the block unless something explains it.
  struct Doubt {
    Warp* warp = nullptr;
    uint32_t lane = 0, line = 0;
    std::string text;
    uint32_t look = 0;  // the line of the read that it is about
  };
  struct Look {  // a plain read of shared memory
    uint32_t word = 0, line = 0, clock = 0;
    uint32_t stamp = 0;
  };
  /// When a word of shared memory has been read by two threads, so that other reads change nothing.
  struct Settled {
    uint64_t moment = 0;  // and line, of the warp for whose lanes that holds
    uint64_t phase = 0;   // the one in which it holds for all warps
  };

 public:
  /// What is known of a block that hasn't ended.
  struct Block {
    uint64_t stamp = 0;
    uint32_t fence = 0;
    std::array<Clock, 32> clock{};    // what each warp knows of each
    std::array<Clock, 16> arrived{};  // what those knew that don't wait, by barrier
    std::array<uint32_t, 32> turn{};
    std::vector<Cell> shared_cells;
    std::array<uint64_t, 32> moment{};  // of each warp: new after whatever puts things in order
    std::array<uint64_t, 32> phase{};   // of each warp: since a barrier that all met at, or none
    std::vector<Settled> settled;       // by word of shared memory
    /// The first read of what nothing was written to. A write that comes later without a barrier in between tells
    /// more: a race, with both lines.
    Doubt unwritten;
    /// Reads that nothing puts in order with atomics of others, one for each line.
    std::vector<Doubt> unordered;
    std::vector<std::array<Look, 4>> looks;  // the last ones of each thread
  };

  /// With `quick` false each lane and word is looked at for itself, which finds the same.
  explicit Checker(bool quick = true);

  /// For the launches of this kernel (by its place in the module) that follow.
  void use(LoadedModule* module, size_t kernel);
  void enter(BlockRunner& runner);
  void leave(BlockRunner& runner) { runner.observe(nullptr); }
  void begin_block(BlockRunner& runner, uint64_t index);
  /// Keeps what is known of a block that waits for others, and goes on with it.
  Block set_aside() { return std::move(now_); }
  void go_on(BlockRunner& runner, uint64_t index, Block&& block);
  /// What only the end of a block tells. False where that is a trouble, or explains the one that there is.
  bool end_block(BlockRunner& runner);
  /// Blocks that wait for each other are in an order that isn't followed: `across_blocks` is false for them.
  void begin_launch(bool across_blocks) { ++launch_, across_blocks_ = across_blocks; }

  void begin(uint64_t) override {}
  void barrier(uint32_t warps, int32_t name) override;
  void arrive(uint32_t warp, int32_t name) override;
  void sync(Warp& warp, uint32_t kind);
  /// Whether the access may happen; else it has been reported to the warp's runner.
  bool access(Warp& warp, const uint64_t* addresses, Mask mask, uint32_t what, uint32_t line,
              const void* values);

 private:
  /// Memory that an address is in.
  struct Place {
    enum class Kind : uint8_t { global, shared, own };
    Kind kind = Kind::global;
    uint64_t base = 0, bytes = 0;
    Shadow* shadow = nullptr;  // of global memory
    std::string name;          // of a variable
    uint64_t state = 0;        // of the process's memory
  };
  struct Request {  // an access of a warp
    Warp& warp;
    const uint64_t* addresses;
    uint32_t bytes, kind, space;
    const char* values;  // what each lane writes, where that is known
    Access access;       // as lane 0 leaves it
    const Clock& clock;
    uint64_t moment;  // and line, as Settled has them
    uint64_t phase;
  };
  struct One {  // that of one lane
    const Request& of;
    uint32_t lane;
    const Place* place = nullptr;
    uint64_t address() const { return of.addresses[lane]; }
    uint32_t thread() const { return of.access.thread + lane; }
  };

  // ---- places.cpp: the memory of an address; null where it may not be accessed, which was reported
  const Place* place_of(const One& one);
  const Place* known_place(const One& one) const;
  const Place* shared_place(const One& one, uint64_t offset);
  const Place* global_place(const One& one);
  const Place* keep(Place place);
  Shadow& shadow_of(const Allocation& allocation);
  std::string shared_name(uint64_t offset) const;
  void fail(const One& one, Trouble::Kind kind, const std::string& text);

  // ---- words.cpp: what was done to a word before. `wrote`: the access before did
  bool touch(const Place& place, const Request& request, Mask& left);
  template <bool shared, uint32_t kind>
  bool touch_lanes(const Place& place, const Request& request, Mask& left);
  bool read_shared(const Place& place, const Request& request, Mask& left);
  template <bool shared, uint32_t kind> bool touch_lane(const One& one, uint32_t stamp);
  template <bool shared, uint32_t kind>
  bool touch_word(const One& one, uint64_t word, uint32_t bytes, uint32_t stamp);
  template <uint32_t kind> bool touch_row(const Place& place, const Request& request, Mask lanes_on);
  template <bool shared>
  bool ordered(const Access& before, bool hears, const Request& request, uint32_t thread) const;
  bool is_apart(const Access& before, uint32_t bytes, const One& one) const;
  template <bool shared, uint32_t kind>
  bool conflicts(const Access& before, bool wrote, const Request& request, uint32_t thread,
                 uint32_t bytes) const;
  template <bool shared, uint32_t kind>
  bool clashes(const Accesses& known, const Request& request, uint32_t thread, uint32_t bytes) const;
  template <bool shared, uint32_t kind>
  bool settle(const Accesses& known, const One& one, uint32_t bytes);
  template <bool shared, uint32_t kind>
  bool note(Accesses& known, const Request& request, uint32_t thread, uint32_t bytes) const;

  // ---- reports.cpp
  bool is_excused(const Access& before, const One& one) const;
  void fail_race(const One& one, const char* what, const Access& before);
  std::string race(const char* what, const Access& before, const std::string& where) const;
  void doubt(const One& one);

  // ---- looks.cpp: plain reads of what atomics change
  void look_at_atomics(const Cell& cell, uint32_t bytes, uint32_t word, const One& one);
  void remember_look(uint32_t word, const One& one);
  void forgive_look(uint32_t word, const One& one);
  void suspect(const One& one, const char* what, const Access& before, uint32_t look);

  bool is_settled(uint64_t word, const Request& request) const {
    const Settled& settled = now_.settled[word];
    return settled.phase == request.phase || settled.moment == request.moment;
  }
  void settle_reads(const Cell& cell, uint64_t word, const Request& request);
  static constexpr uint64_t no_phase = ~uint64_t{0};
  void next_moment(size_t warp) { now_.moment[warp] = ++moments_; }

  void next_phase(bool whole) { now_.phase.fill(whole ? ++phases_ : no_phase); }

  const bool quick_;
  LoadedModule* module_ = nullptr;
  SharedLayout shared_;
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> shared_names_;  // name, begin, bytes
  BlockRunner* runner_ = nullptr;
  uint64_t launch_ = 0;
  bool across_blocks_ = true;
  uint64_t stamps_ = 0;
  uint32_t block_ = 0;
  std::vector<uint32_t> fences_;  // of blocks that are over, by block
  std::array<Place, 4> places_;   // that were accessed last
  size_t oldest_place_ = 0;
  Place own_;
  bool atomics_ = true;  // the kernel has some
  uint64_t moments_ = 0, phases_ = 0;
  Block now_;
  std::vector<uint32_t> looks_;  // lines of reads that atomics of the same thread followed
  std::unordered_map<uint64_t, std::unique_ptr<Shadow>> shadows_;  // by an allocation's base
};

}  // namespace twin
