#pragma once

#include "warp_part.h"

namespace cooperative_groups {

/// Some lanes of a warp, ranked in the order of their lanes.
class coalesced_group {
 public:
  TWIN_DEVICE_MEMBER explicit coalesced_group(unsigned int mask) : mask_(mask) {}

  TWIN_DEVICE_MEMBER unsigned int thread_rank() const { return twin_detail::rank_in(mask_); }
  TWIN_DEVICE_MEMBER unsigned int size() const { return __popc(mask_); }
  TWIN_DEVICE_MEMBER unsigned int num_threads() const { return size(); }
  TWIN_DEVICE_MEMBER unsigned int mask() const { return mask_; }
  TWIN_DEVICE_MEMBER void sync() const { __syncwarp(mask_); }
  TWIN_DEVICE_MEMBER unsigned int meta_group_rank() const { return 0; }
  TWIN_DEVICE_MEMBER unsigned int meta_group_size() const { return 1; }
  TWIN_DEVICE_MEMBER operator thread_group() const {
    return thread_group(mask_, thread_rank(), size());
  }

  template <class T> TWIN_DEVICE_MEMBER T shfl(const T& value, unsigned int rank) const {
    return twin_detail::any_shfl(mask_, value, lane_of(rank % size()), 32);
  }
  template <class T> TWIN_DEVICE_MEMBER T shfl_up(const T& value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    const unsigned int from = delta > rank ? rank : rank - delta;
    return twin_detail::any_shfl(mask_, value, lane_of(from), 32);
  }
  template <class T> TWIN_DEVICE_MEMBER T shfl_down(const T& value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    const unsigned int from = delta >= size() - rank ? rank : rank + delta;
    return twin_detail::any_shfl(mask_, value, lane_of(from), 32);
  }

  TWIN_DEVICE_MEMBER int any(int predicate) const {
    return (__ballot_sync(mask_, predicate) & mask_) != 0;
  }
  TWIN_DEVICE_MEMBER int all(int predicate) const {
    return (__ballot_sync(mask_, predicate) & mask_) == mask_;
  }
  TWIN_DEVICE_MEMBER unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(mask_, predicate));
  }
  template <class T> TWIN_DEVICE_MEMBER unsigned int match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T> TWIN_DEVICE_MEMBER unsigned int match_all(T value, int& all) const {
    return packed(__match_all_sync(mask_, value, &all));
  }

 private:
  /// The lane of a rank: the rank-th set bit of the mask.
  TWIN_DEVICE_MEMBER int lane_of(unsigned int rank) const {
    unsigned int rest = mask_;
    for (unsigned int i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  /// A mask of lanes as one of ranks.
  TWIN_DEVICE_MEMBER unsigned int packed(unsigned int lanes) const {
    unsigned int ranks = 0;
    unsigned int rest = mask_;
    for (unsigned int i = 0; rest != 0; ++i, rest &= rest - 1) {
      if ((lanes & rest & (0u - rest)) != 0) ranks |= 1u << i;
    }
    return ranks;
  }

  unsigned int mask_;
};

TWIN_DEVICE_MEMBER coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

}  // namespace cooperative_groups
