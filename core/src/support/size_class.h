#pragma once

#include <bit>
#include <cstddef>

/// The sizes the allocator works in: multiples of 64 bytes up to 1 KiB, then eight steps from each power
/// of two to the next, so that a block is at most an eighth larger than what was asked for.
namespace torchlight::host_memory {

inline constexpr std::size_t unit = 64;
inline constexpr unsigned linear_classes = 16;
inline constexpr unsigned steps = 8;  // from one power of two to the next
inline constexpr unsigned doublings = 38;
inline constexpr unsigned class_count = linear_classes + doublings * steps;

/// The class of a block of `bytes`, at least 1 and at most largest_block.
constexpr unsigned class_of(std::size_t bytes) {
  const std::size_t last = (bytes - 1) / unit;  // of the units needed, counted from 0
  if (last < linear_classes) return static_cast<unsigned>(last);
  const auto shift = static_cast<unsigned>(std::bit_width(last)) - 4;
  return linear_classes + shift * steps - 2 * steps + static_cast<unsigned>(last >> shift);
}

constexpr std::size_t class_size(unsigned size_class) {
  if (size_class < linear_classes) return (size_class + 1) * unit;
  const unsigned step = size_class - linear_classes;
  return (std::size_t{step % steps + steps + 1} << (step / steps + 1)) * unit;
}

inline constexpr std::size_t largest_block = class_size(class_count - 1);  // 256 TiB

}  // namespace torchlight::host_memory
