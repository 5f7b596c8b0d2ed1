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
    uint16_t fence = 0;
  };
  uint32_t stamp : 28 = 0;  // of the block or launch it was last used in
  uint32_t initialised : 4 = 0;
  Access write;
  Access read, other_read;  // of two threads: whoever writes is at most one of them
};
static_assert(sizeof(Cell) == 64);

class Checker final : public Observer {
 public:
  Checker();

  /// For the launches of this kernel (by its place in the module) that follow.
  void use(LoadedModule* module, size_t kernel);
  void enter(BlockRunner& runner);
  void leave(BlockRunner& runner) { runner.observe(nullptr); }
  void begin_block(BlockRunner& runner, uint64_t index);
  /// What only the end of a block tells. False where that is a trouble, or explains the one that there is.
  bool end_block(BlockRunner& runner);
  /// Blocks that wait for each other are in an order that isn't followed: `races` is false for them.
  void begin_launch(bool races) { ++launch_, races_ = races; }

  void begin(uint64_t) override {}
  void barrier(uint32_t warps) override;
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
  };

  bool look(const One& one, uint32_t space);
  bool look_shared(const One& one, uint64_t offset);
  bool look_global(const One& one);
  bool touch(Cell* cells, uint64_t first_byte, const One& one, bool shared, std::string_view where);
  bool touch_word(Cell& cell, uint8_t bytes, const One& one, bool shared, std::string_view where);
  bool ordered(const Cell::Access& before, const One& one, bool shared, bool before_wrote) const;
  bool fail(const One& one, Trouble::Kind kind, const std::string& text);
  void doubt(const One& one, const std::string& text);
  std::string race(const char* what, const Cell::Access& before, std::string_view where) const;
  std::string shared_name(uint64_t offset) const;
  Cell* cells_of(const Allocation& allocation);
  bool is_known(const One& one) const;

  LoadedModule* module_ = nullptr;
  SharedLayout shared_;
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> shared_names_;  // name, begin, bytes
  BlockRunner* runner_ = nullptr;
  uint64_t launch_ = 0;
  bool races_ = true;
  uint64_t block_stamp_ = 0;
  uint32_t block_ = 0;
  uint32_t block_fence_ = 0;
  std::vector<uint32_t> fences_;                      // of blocks that are over, by block
  std::array<std::array<uint32_t, 32>, 32> clock_{};  // what each warp knows of each
  std::array<uint32_t, 32> turn_{};
  std::vector<Cell> shared_cells_;
  std::pair<uint64_t, uint64_t> near_;  // the variable in shared memory that was accessed last
  struct Known {
    uint64_t base = 0, end = 0, state = 0;
    Cell* cells = nullptr;
    std::string name;
  } known_;  // and the allocation
  /// The first read of what nothing was written to. A write that comes later without a barrier in between tells more:
  /// a race, with both lines.
  struct Doubt {
    Warp* warp = nullptr;
    uint32_t lane = 0, line = 0;
    std::string text;
  } doubt_;
  std::unordered_map<uint64_t, std::unique_ptr<Cell[]>>
      global_cells_;  // by an allocation's number and base
};

}  // namespace twin
