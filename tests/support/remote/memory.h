#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <torchlight/plugin.h>

namespace remote {
class Memory;
struct Storage;
}  // namespace remote

/// What the core holds: one allocation. Kept after its release, so that a late use can be told.
struct tl_block {
  remote::Memory* memory;
  remote::Storage* storage;
  std::uint64_t bytes;
  bool released;  // in the order of calls; the storage knows it in the order of work
};

namespace remote {

/// Real bytes behind an address that nobody can read.
struct Storage {
  struct Release {
    void operator()(char* bytes) const;
  };
  std::unique_ptr<char, Release> bytes;
  std::uint64_t size = 0;
  std::uintptr_t address = 0;
  std::atomic<tl_block*> owner{nullptr};  // in the order of work
};

/// A piece of memory as a piece of work finds it: checked when it was enqueued, and once more when it runs.
struct Place {
  tl_block* block = nullptr;
  std::uint64_t offset = 0;
  /// Failure if the memory belongs to somebody else by now, or not yet to the block.
  char* data() const;
};

/// The memory of one device: addresses come from a range that faults when it is touched.
class Memory {
 public:
  Memory();
  ~Memory();

  /// Takes released storage of the same stream if some fits: the work on that stream keeps the order.
  /// `reused` tells whether so. The block's storage has to be given to it in the stream's order.
  tl_block* allocate(tl_stream* stream, std::uint64_t bytes, bool& reused);
  /// Marks the block as released; its storage is free for this stream once the work before is done.
  void release(tl_stream* stream, tl_block* block);
  /// The stream is no more: what it could reuse, all can.
  void forget_stream(tl_stream* stream);

  /// Failure unless [address + low, address + high) lies in the block, which must be of this device.
  Place locate(tl_block* block, const void* base, std::uint64_t offset, std::int64_t low,
               std::int64_t high) const;

  std::atomic<std::uint64_t> limit{0};
  std::atomic<std::int64_t> until_failure{-1};  // allocations left until one fails; < 0: none will
  std::atomic<std::uint64_t> allocations{0};    // that were asked for
  std::uint64_t live_blocks() const;
  std::uint64_t live_bytes() const;
  std::uint64_t reused_blocks() const;

 private:
  Storage* take(tl_stream* stream, std::uint64_t size, bool& reused);

  mutable std::mutex mutex_;
  char* range_ = nullptr;
  std::uint64_t used_ = 0;
  std::vector<std::unique_ptr<Storage>> storages_;
  std::vector<std::unique_ptr<tl_block>> blocks_;
  std::map<tl_stream*, std::list<Storage*>> free_;  // by the stream whose work must be done before
  std::list<Storage*> common_;                      // of streams that are closed
  std::uint64_t live_blocks_ = 0, live_bytes_ = 0, reused_ = 0;
};

}  // namespace remote
