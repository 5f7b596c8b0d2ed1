#pragma once

#include "warp_part.h"

namespace cooperative_groups {

namespace twin_detail {

/// `size` neighbouring lanes of a warp; size is a power of two, at most 32.
template <unsigned int Size> class WarpTile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile is 1, 2, 4, 8, 16 or 32 threads");

 public:
  TWIN_DEVICE_MEMBER static unsigned int thread_rank() { return lane() & (Size - 1); }
  TWIN_DEVICE_MEMBER static constexpr unsigned int size() { return Size; }
  TWIN_DEVICE_MEMBER static constexpr unsigned int num_threads() { return Size; }
  TWIN_DEVICE_MEMBER static unsigned int mask() {
    return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << (lane() & ~(Size - 1));
  }
  TWIN_DEVICE_MEMBER static void sync() { __syncwarp(mask()); }

  template <class T> TWIN_DEVICE_MEMBER T shfl(const T& value, int rank) const {
    return any_shfl(mask(), value, rank, Size);
  }
  template <class T> TWIN_DEVICE_MEMBER T shfl_up(const T& value, unsigned int delta) const {
    return any_shfl_up(mask(), value, delta, Size);
  }
  template <class T> TWIN_DEVICE_MEMBER T shfl_down(const T& value, unsigned int delta) const {
    return any_shfl_down(mask(), value, delta, Size);
  }
  template <class T> TWIN_DEVICE_MEMBER T shfl_xor(const T& value, unsigned int lanes) const {
    return any_shfl_xor(mask(), value, static_cast<int>(lanes), Size);
  }

  TWIN_DEVICE_MEMBER int any(int predicate) const {
    return (__ballot_sync(mask(), predicate) & mask()) != 0;
  }
  TWIN_DEVICE_MEMBER int all(int predicate) const {
    return (__ballot_sync(mask(), predicate) & mask()) == mask();
  }
  TWIN_DEVICE_MEMBER unsigned int ballot(int predicate) const {
    return own(__ballot_sync(mask(), predicate));
  }
  template <class T> TWIN_DEVICE_MEMBER unsigned int match_any(T value) const {
    return own(__match_any_sync(mask(), value));
  }
  template <class T> TWIN_DEVICE_MEMBER unsigned int match_all(T value, int& all) const {
    return own(__match_all_sync(mask(), value, &all));
  }

 private:
  /// A mask of lanes as one of ranks in the tile.
  TWIN_DEVICE_MEMBER static unsigned int own(unsigned int lanes) {
    return (lanes & mask()) >> (lane() & ~(Size - 1));
  }
};

/// Which of the parent's tiles of `size` this one is, and of how many. The parent is a block or a tile itself.
template <class Parent> struct Siblings {
  TWIN_DEVICE_MEMBER static unsigned int rank(unsigned int size) { return thread_rank() / size; }
  TWIN_DEVICE_MEMBER static unsigned int count(unsigned int size) {
    return (block_threads() + size - 1) / size;
  }
};

}  // namespace twin_detail

/// A tile of a parent group.
template <unsigned int Size, class Parent = void>
class thread_block_tile : public twin_detail::WarpTile<Size> {
 public:
  TWIN_DEVICE_MEMBER static unsigned int meta_group_rank() {
    return twin_detail::Siblings<Parent>::rank(Size);
  }
  TWIN_DEVICE_MEMBER static unsigned int meta_group_size() {
    return twin_detail::Siblings<Parent>::count(Size);
  }
  TWIN_DEVICE_MEMBER operator thread_group() const {
    return thread_group(this->mask(), this->thread_rank(), Size);
  }
  template <class Other> TWIN_DEVICE_MEMBER thread_block_tile(const thread_block_tile<Size, Other>&) {}

 private:
  TWIN_DEVICE_MEMBER thread_block_tile() {}
  template <unsigned int S, class P>
  friend __device__ thread_block_tile<S, P> tiled_partition(const P&);
};

namespace twin_detail {

template <unsigned int Span, class Parent> struct Siblings<thread_block_tile<Span, Parent>> {
  TWIN_DEVICE_MEMBER static unsigned int rank(unsigned int size) {
    return (lane() & (Span - 1)) / size;
  }
  TWIN_DEVICE_MEMBER static unsigned int count(unsigned int size) { return Span / size; }
};

}  // namespace twin_detail

template <unsigned int Size, class Parent>
TWIN_DEVICE_MEMBER thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

TWIN_DEVICE_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  return parent.part(size);
}
TWIN_DEVICE_MEMBER thread_group tiled_partition(const thread_block& parent, unsigned int size) {
  return thread_group(parent).part(size);
}

}  // namespace cooperative_groups
