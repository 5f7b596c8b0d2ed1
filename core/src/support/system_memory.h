#pragma once

#include <cstddef>

/// Memory straight from the system, for the allocator. Sizes are those of size_class.h.
namespace torchlight::host_memory {

/// From this size on blocks are mapped by themselves, aligned to huge pages and asked to be made of them.
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Aligned to 64 bytes, or to huge_page; NULL if there is none.
void* take_from_system(std::size_t bytes) noexcept;
void return_to_system(void* memory, std::size_t bytes) noexcept;

}  // namespace torchlight::host_memory
