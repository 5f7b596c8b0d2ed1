#pragma once

#include <array>
#include <cstring>

#include "device.h"
#include "element.h"

namespace remote {

/// A view, copied out of the caller's arguments, with its memory found.
struct Operand {
  Kind kind = Kind::unknown;
  std::uint32_t rank = 0;
  std::array<std::int64_t, TL_MAX_RANK> extent{};
  std::array<std::int64_t, TL_MAX_RANK> stride{};
  Place place;
  std::int64_t item = 0;

  Operand() = default;
  /// Failure if the view reaches outside of its memory.
  Operand(tl_device& device, const tl_view& view);

  std::int64_t count() const;
  /// The memory's first byte, as it is now. Null for no elements.
  char* data() const { return count() == 0 ? nullptr : place.data(); }
};

template <class T> T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T> void store(char* at, T value) { std::memcpy(at, &value, sizeof value); }

using Index = std::array<std::int64_t, TL_MAX_RANK>;

/// Bytes from the first element to the one at an index.
inline std::int64_t offset_of(const Operand& operand, const Index& index) {
  std::int64_t offset = 0;
  for (std::uint32_t d = 0; d < operand.rank; ++d) offset += index[d] * operand.stride[d];
  return offset * operand.item;
}

/// f(index) for every element of a shape, in row-major order.
template <class F> void for_each_index(std::uint32_t rank, const Index& extent, F&& f) {
  for (std::uint32_t d = 0; d < rank; ++d)
    if (extent[d] == 0) return;
  Index index{};
  for (;;) {
    f(index);
    std::uint32_t d = rank;
    while (d > 0 && ++index[d - 1] == extent[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace remote
