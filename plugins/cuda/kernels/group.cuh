#pragma once

#include "kernel.cuh"

/// Threads that put their states together: by shuffles within a warp, through shared memory within a block. The
/// order is fixed, so the bits are the same in every run.
namespace kernels {

#if TL_ON_DEVICE

constexpr uint32_t all_lanes = 0xffffffffu;
constexpr int warp_size = 32;

TL_DEVICE int lane() { return static_cast<int>(threadIdx.x % warp_size); }

/// A state as the words that shuffles move.
template <class S> union Words {
  S state;
  uint32_t word[sizeof(S) / 4];
};

template <class S> TL_DEVICE S from_later_lane(S state, int distance) {
  Words<S> words = {state};
  TL_UNROLL for (uint32_t& word : words.word) word = __shfl_down_sync(all_lanes, word, distance);
  return words.state;
}
template <class S> TL_DEVICE S from_earlier_lane(S state, int distance) {
  Words<S> words = {state};
  TL_UNROLL for (uint32_t& word : words.word) word = __shfl_up_sync(all_lanes, word, distance);
  return words.state;
}
template <class S> TL_DEVICE S from_lane(S state, int which) {
  Words<S> words = {state};
  TL_UNROLL for (uint32_t& word : words.word) word = __shfl_sync(all_lanes, word, which);
  return words.state;
}

/// All lanes get what the warp has together.
template <class P, class S> TL_DEVICE S warp_total(S state) {
  TL_UNROLL for (int distance = warp_size / 2; distance > 0; distance /= 2)
      P::join(state, from_later_lane(state, distance));
  return from_lane(state, 0);
}

/// All threads get what the block has together. Its threads are a multiple of 32, in a row, and all come here.
template <class P, class S> TL_DEVICE S block_total(S state) {
  __shared__ Words<S> part[warp_size];
  const int warps = static_cast<int>(blockDim.x / warp_size);
  state = warp_total<P>(state);
  if (lane() == 0) part[threadIdx.x / warp_size].state = state;
  __syncthreads();
  state = part[0].state;
  for (int w = 1; w < warps; ++w) P::join(state, part[w].state);
  __syncthreads();  // part is free again
  return state;
}

/// The threads that share a row: `is_block` says whether they are a block or a warp.
template <bool is_block> struct Group;

template <> struct Group<true> {
  static TL_DEVICE int rank() { return static_cast<int>(threadIdx.x); }
  static TL_DEVICE int size() { return static_cast<int>(blockDim.x); }
  static TL_DEVICE int64_t first() { return blockIdx.x; }
  static TL_DEVICE int64_t count() { return gridDim.x; }
  template <class P, class S> static TL_DEVICE S total(S state) { return block_total<P>(state); }
};

template <> struct Group<false> {
  static TL_DEVICE int rank() { return lane(); }
  static TL_DEVICE int size() { return warp_size; }
  static TL_DEVICE int64_t first() {
    return static_cast<int64_t>(blockIdx.x) * (blockDim.x / warp_size) + threadIdx.x / warp_size;
  }
  static TL_DEVICE int64_t count() {
    return static_cast<int64_t>(gridDim.x) * (blockDim.x / warp_size);
  }
  template <class P, class S> static TL_DEVICE S total(S state) { return warp_total<P>(state); }
};

#endif

}  // namespace kernels
