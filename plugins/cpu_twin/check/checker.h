// Looks at every access to memory of a kernel: whether it may be there, and whether it is in order with the accesses
// of other threads. Threads are in order by barriers, for whole warps; lanes of a warp by the operations that name
// them; blocks not at all, but that what one wrote before a fence may be read by others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "runtime/block.h"
#include "runtime/memory.h"

namespace twin {

class LoadedModule;

/// The accesses to one word of four bytes that count. One line of the processor's cache, for there are as many of them
/// as words.
struct alignas(64) Cell {
  struct Access {
    uint32_t block = 0;
    uint32_t line = 0;
    uint32_t clock = 0;        // of the warp
    uint32_t turn = 0;         // how often its lanes were in step
    uint16_t thread : 11 = 0;  // + 1; 0: none
    uint16_t atomic : 1 = 0;
    uint16_t bytes : 4 = 0;  // which of the four
    uint16_t aware : 1 = 0;  // of a read: it expects that others change what it reads
    uint16_t fence : 15 = 0;
  };
  uint32_t stamp : 28 = 0;  // of the block or launch it was last used in
  uint32_t initialised : 4 = 0;
  Access write;
  Access read, other_read;  // of two threads: whoever writes is at most one of them
};
static_assert(sizeof(Cell) == 64);

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

 public:
  /// What is known of a block that hasn't ended.
  struct Block {
    uint64_t stamp = 0;
    uint32_t fence = 0;
    std::array<Clock, 32> clock{};    // what each warp knows of each
    std::array<Clock, 16> arrived{};  // what those knew that don't wait, by barrier
    std::array<uint32_t, 32> turn{};
    std::vector<Cell> shared_cells;
    /// The first read of what nothing was written to. A write that comes later without a barrier in between tells
    /// more: a race, with both lines.
    Doubt unwritten;
    /// Reads that nothing puts in order with atomics of others, one for each line.
    std::vector<Doubt> unordered;
    std::vector<std::array<Look, 4>> looks;  // the last ones of each thread
  };

  Checker();

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
  struct One {  // an access of one lane
    Warp& warp;
    uint32_t lane;
    uint64_t address;
    uint32_t bytes;
    uint32_t kind;
    uint32_t line;
    const void* value;
    bool aware;
    uint32_t thread() const { return warp.index * lanes + lane + 1; }
  };

  bool look(const One& one, uint32_t space);
  bool look_shared(const One& one, uint64_t offset);
  bool look_global(const One& one);
  bool touch(Cell* cells, uint64_t first_byte, const One& one, bool shared, std::string_view where);
  bool touch_word(Cell& cell, uint8_t bytes, const One& one, bool shared, std::string_view where);
  bool ordered(const Cell::Access& before, const One& one, bool shared, bool before_wrote) const;
  bool fail(const One& one, Trouble::Kind kind, const std::string& text);
  void doubt(const One& one, const std::string& text);
  void look_at_atomics(const Cell& cell, uint8_t bytes, const One& one);
  void remember_look(uint32_t word, const One& one);
  void forgive_look(uint32_t word, const One& one);
  void suspect(const One& one, const char* what, const Cell::Access& before, uint32_t look);
  std::string race(const char* what, const Cell::Access& before, std::string_view where) const;
  std::string shared_name(uint64_t offset) const;
  Cell* cells_of(const Allocation& allocation);
  bool is_known(const One& one) const;

  LoadedModule* module_ = nullptr;
  SharedLayout shared_;
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> shared_names_;  // name, begin, bytes
  BlockRunner* runner_ = nullptr;
  uint64_t launch_ = 0;
  bool across_blocks_ = true;
  uint64_t stamps_ = 0;
  uint32_t block_ = 0;
  std::vector<uint32_t> fences_;        // of blocks that are over, by block
  std::pair<uint64_t, uint64_t> near_;  // the variable in shared memory that was accessed last
  struct Known {
    uint64_t base = 0, end = 0, state = 0;
    Cell* cells = nullptr;
    std::string name;
  } known_;  // and the allocation
  Block now_;
  std::vector<uint32_t> looks_;  // lines of reads that atomics of the same thread followed
  struct Cells {
    uint64_t bytes = 0;
    std::unique_ptr<Cell[]> cells;
  };
  std::unordered_map<uint64_t, Cells> global_cells_;  // by an allocation's base
};

}  // namespace twin
