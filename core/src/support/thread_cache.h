#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "support/block_store.h"

/// What a thread keeps for itself: small blocks, handed out without a lock, and its share of the counts.
namespace torchlight::host_memory {

inline constexpr std::size_t small_limit = 4096;  // larger blocks are shared at once
inline constexpr unsigned small_classes = class_of(small_limit) + 1;
inline constexpr std::uint64_t thread_limit = std::uint64_t{256} << 10;  // bytes one thread keeps

/// A number that one thread changes and others read: as cheap as a plain one.
template <class T> class OwnCount {
 public:
  void add(T amount) { value_.store(get() + amount, std::memory_order_relaxed); }
  T get() const { return value_.load(std::memory_order_relaxed); }
  T exchange(T value) {
    const T old = get();
    value_.store(value, std::memory_order_relaxed);
    return old;
  }

 private:
  std::atomic<T> value_{0};
};

struct ThreadCache {
  Block* lists[small_classes] = {};
  OwnCount<std::uint64_t> bytes;  // kept here
  OwnCount<std::int64_t> in_use;  // change not yet added to the process's count
  OwnCount<std::uint64_t> allocations;
  OwnCount<std::uint64_t> reused;
  ThreadCache* next = nullptr;  // of all threads
  ThreadCache* previous = nullptr;

  Block* take(unsigned size_class) {
    Block* block = lists[size_class];
    if (!block) return nullptr;
    lists[size_class] = block->next;
    bytes.add(-std::uint64_t{class_size(size_class)});
    return block;
  }
  /// False if there is no more room.
  bool put(unsigned size_class, Block* block) {
    const std::uint64_t size = class_size(size_class);
    if (bytes.get() + size > thread_limit) return false;
    bytes.add(size);
    block->next = lists[size_class];
    lists[size_class] = block;
    return true;
  }
  void empty_into(BlockStore& store) noexcept {
    for (unsigned c = 0; c < small_classes; ++c)
      while (Block* block = take(c)) store.put(c, block);
  }
};

}  // namespace torchlight::host_memory
