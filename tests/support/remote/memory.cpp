#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "failure.h"

namespace remote {
namespace {

constexpr std::uint64_t range_bytes = std::uint64_t{1} << 38;
constexpr std::uint64_t alignment = 256;
constexpr std::uint64_t gap = 4096;  // between blocks: whoever runs past one end is in none

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

void Storage::Release::operator()(char* memory) const {
  ::operator delete (memory, std::align_val_t{alignment});
}

char* Place::data() const {
  if (block->storage->owner.load() != block)
    throw Failure(TL_E_DEVICE,
                  "memory was used after its release, or before it was there, in the order of streams");
  return block->storage->bytes.get() + offset;
}

Memory::Memory() {
  void* range =
      ::mmap(nullptr, range_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  range_ = static_cast<char*>(range);
}

Memory::~Memory() { ::munmap(range_, range_bytes); }

Storage* Memory::take(tl_stream* stream, std::uint64_t size, bool& reused) {
  for (std::list<Storage*>* candidates : {&free_[stream], &common_}) {
    const auto fit = std::find_if(candidates->begin(), candidates->end(),
                                  [&](Storage* s) { return s->size == size; });
    if (fit == candidates->end()) continue;
    Storage* storage = *fit;
    candidates->erase(fit);
    reused = true;
    ++reused_;
    return storage;
  }
  if (used_ + size + gap > range_bytes) throw std::bad_alloc();
  auto fresh = std::make_unique<Storage>();
  fresh->bytes.reset(static_cast<char*>(::operator new (size, std::align_val_t{alignment})));
  std::memset(fresh->bytes.get(), 0xff,
              size);  // NaN as floats: whoever reads before writing shall see it
  fresh->size = size;
  fresh->address = reinterpret_cast<std::uintptr_t>(range_) + used_;
  used_ += (size + gap + alignment - 1) / alignment * alignment;
  storages_.push_back(std::move(fresh));
  return storages_.back().get();
}

tl_block* Memory::allocate(tl_stream* stream, std::uint64_t bytes, bool& reused) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t size = std::max(alignment, round_up(bytes));
  ++allocations;
  if (until_failure >= 0 && until_failure-- == 0) throw Failure(TL_E_MEMORY, "the test wanted it");
  if (bytes > range_bytes || (limit != 0 && live_bytes_ + size > limit))
    throw Failure(TL_E_MEMORY, "no " + std::to_string(bytes) + " bytes are left");
  reused = false;
  Storage* storage = take(stream, size, reused);
  blocks_.push_back(std::make_unique<tl_block>(tl_block{this, storage, bytes, false}));
  tl_block* block = blocks_.back().get();
  if (!reused) storage->owner = block;
  ++live_blocks_;
  live_bytes_ += size;
  return block;
}

void Memory::release(tl_stream* stream, tl_block* block) {
  const std::lock_guard lock(mutex_);
  if (!block || block->memory != this) throw bad_argument("release of memory that isn't this device's");
  if (block->released) throw bad_argument("memory released twice");
  free_[stream].push_back(block->storage);  // first what may fail
  block->released = true;
  --live_blocks_;
  live_bytes_ -= block->storage->size;
}

void Memory::forget_stream(tl_stream* stream) {
  const std::lock_guard lock(mutex_);
  const auto own = free_.find(stream);
  if (own == free_.end()) return;
  common_.splice(common_.end(),
                 own->second);  // which takes no memory: nothing that closes may want some
  free_.erase(own);
}

Place Memory::locate(tl_block* block, const void* base, std::uint64_t offset, std::int64_t low,
                     std::int64_t high) const {
  const std::lock_guard lock(mutex_);
  if (!block) throw bad_argument("host memory where device memory is due");
  if (block->memory != this) throw bad_argument("memory of another device");
  if (block->released) throw bad_argument("use of released memory");
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(base) + offset - block->storage->address;
  if (begin > block->bytes || static_cast<std::int64_t>(begin) + low < 0 ||
      static_cast<std::int64_t>(begin) + high > static_cast<std::int64_t>(block->bytes))
    throw bad_argument("a view reaches outside of its block");
  return {block, begin};
}

std::uint64_t Memory::live_blocks() const {
  const std::lock_guard lock(mutex_);
  return live_blocks_;
}
std::uint64_t Memory::live_bytes() const {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}
std::uint64_t Memory::reused_blocks() const {
  const std::lock_guard lock(mutex_);
  return reused_;
}

}  // namespace remote
