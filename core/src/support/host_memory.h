#pragma once

#include <cstddef>
#include <cstdint>

/// Host memory for tensors: a caching allocator. Released blocks are kept and handed out again, because
/// the first touch of a fresh page costs more than most kernels; blocks of 2 MiB and more are aligned
/// for huge pages. What is handed out and what is kept stay together below five quarters of the most that
/// was ever handed out, or 64 MiB. Each thread keeps up to 256 KiB of small blocks for itself. Safe from
/// any thread and after a fork. Compiled to plain allocation under AddressSanitizer.
namespace torchlight::host_memory {

inline constexpr std::size_t alignment = 64;

/// At least `bytes` bytes, aligned to 64, contents unspecified. 0 bytes give a valid unique pointer or
/// NULL. Throws Error naming the size when there is no memory, after the caches were emptied.
void* allocate(std::size_t bytes);
/// `bytes` as it was asked for.
void release(void* memory, std::size_t bytes) noexcept;
/// Gives cached blocks back to the system.
void trim() noexcept;

/// Bytes are those of blocks, which are up to an eighth larger than what was asked for.
struct Statistics {
  std::uint64_t in_use = 0;       ///< bytes handed out
  std::uint64_t cached = 0;       ///< bytes kept for reuse
  std::uint64_t peak = 0;         ///< the largest in_use so far, to within 16 KiB for each thread
  std::uint64_t allocations = 0;  ///< calls of allocate
  std::uint64_t reused = 0;       ///< of those, how many took a cached block
};
Statistics statistics();

}  // namespace torchlight::host_memory
