// What is known of each word of memory: who accessed it last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace twin {

/// The accesses to four bytes that count, or to a row of such words.
struct Accesses {
  struct Access {
    uint32_t block = 0;
    uint32_t line = 0;
    uint32_t clock = 0;        // of the warp
    uint32_t turn = 0;         // how often its lanes were in step
    uint32_t thread : 11 = 0;  // + 1; 0: none
    uint32_t atomic : 1 = 0;
    uint32_t bytes : 4 = 0;  // which of the four
    uint32_t aware : 1 = 0;  // of a read: it expects that others change what it reads
    uint32_t fence : 15 = 0;
  };
  Access write;
  Access read, other_read;  // of two threads: whoever writes is at most one of them
};
using Access = Accesses::Access;

/// One word. One line of the processor's cache, for there are as many of them as words.
struct alignas(64) Cell : Accesses {
  uint32_t stamp : 28 = 0;  // of the block or launch it was last used in
  uint32_t initialised : 4 = 0;
};
static_assert(sizeof(Cell) == 64);

/// So many neighbouring words. While warps access all of them in order, lane k the k-th, what is known of the first
/// tells it of all: so it is kept once, and a warp looks once.
constexpr uint64_t row_words = 32;

struct alignas(64) Row : Accesses {
  uint32_t stamp : 28 = 0;  // of the launch it was last used in
  uint32_t spread : 1 = 0;  // each word's own cell counts
};
static_assert(sizeof(Row) == 64);

/// The rows and cells of an allocation. They are mapped, and so zero and without cost until they are used.
class Shadow {
 public:
  explicit Shadow(uint64_t bytes);
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  uint64_t bytes() const { return bytes_; }
  Row& row(uint64_t word) { return rows_[word / row_words]; }
  /// The cell of a word, which counts from now on.
  Cell& cell(uint64_t word, uint32_t stamp) {
    const Row& of = row(word);
    if (of.stamp != stamp || !of.spread) spread(word / row_words, stamp);
    return cells_[word];
  }

 private:
  void spread(uint64_t row, uint32_t stamp);

  uint64_t bytes_;
  size_t mapped_;
  Row* rows_;
  Cell* cells_;
};

}  // namespace twin
