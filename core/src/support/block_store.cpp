#include "support/block_store.h"

#include <utility>

#include "support/system_memory.h"

namespace torchlight::host_memory {

Block* BlockStore::take(unsigned size_class) noexcept {
  const std::lock_guard lock(mutex_);
  List& list = lists_[size_class];
  if (!list.first) return nullptr;
  list.last_use = ++uses_;
  bytes_ -= class_size(size_class);
  return std::exchange(list.first, list.first->next);
}

void BlockStore::put(unsigned size_class, Block* block) noexcept {
  const std::lock_guard lock(mutex_);
  List& list = lists_[size_class];
  list.last_use = ++uses_;
  bytes_ += class_size(size_class);
  block->next = std::exchange(list.first, block);
}

BlockStore::List* BlockStore::oldest() noexcept {
  List* found = nullptr;
  for (List& list : lists_)
    if (list.first && (!found || list.last_use < found->last_use)) found = &list;
  return found;
}

void BlockStore::shrink(std::uint64_t limit) noexcept {
  // One at a time and outside the lock: giving a large block back takes long.
  for (;;) {
    std::unique_lock lock(mutex_);
    List* list = bytes_ > limit ? oldest() : nullptr;
    if (!list) return;
    const std::size_t size = class_size(static_cast<unsigned>(list - lists_));
    Block* block = std::exchange(list->first, list->first->next);
    bytes_ -= size;
    lock.unlock();
    return_to_system(block, size);
  }
}

std::uint64_t BlockStore::bytes() noexcept {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace torchlight::host_memory
