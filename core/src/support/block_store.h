#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "support/size_class.h"

/// What all threads share of the allocator.
namespace torchlight::host_memory {

/// A block that nobody uses: its own first bytes link it to the next.
struct Block {
  Block* next;
};

/// The kept blocks by size class. Lives in static storage without a destructor.
class BlockStore {
 public:
  /// A kept block of this class, or NULL.
  Block* take(unsigned size_class) noexcept;
  void put(unsigned size_class, Block* block) noexcept;
  /// Gives blocks back, the class that was unused longest first, until no more than `limit` bytes are kept.
  void shrink(std::uint64_t limit) noexcept;
  std::uint64_t bytes() noexcept;

  std::mutex& mutex() { return mutex_; }

 private:
  struct List {
    Block* first = nullptr;
    std::uint64_t last_use = 0;
  };
  List* oldest() noexcept;

  std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::uint64_t uses_ = 0;
  List lists_[class_count];
};

}  // namespace torchlight::host_memory
