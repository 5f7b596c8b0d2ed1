#pragma once

#include "group.cuh"
#include "index.cuh"
#include "policies.cuh"

/// Running reductions along lines. A thread walks a line where there are many, a block shares one where there
/// are few.
namespace kernels {

struct ScanArguments {
  const void* in;
  void* out;
  int64_t length, in_step, out_step;  // along a line; steps are negative for a scan from the end
  Nest<2> lines;
};

#if TL_ON_DEVICE

template <class P, class T> struct Scan {
  using State = typename P::State;
  static constexpr int items = 4, threads = 256, warps = threads / warp_size;

  static TL_DEVICE void lines(const ScanArguments& g) {
    for (int64_t line = first_index(); line < g.lines.count; line += index_step()) {
      const Offsets<2> at = offsets_of(g.lines, line);
      const T* const from = static_cast<const T*>(g.in) + at.of[0];
      T* const to = static_cast<T*>(g.out) + at.of[1];
      State state = P::identity();
      for (int64_t i = 0; i < g.length; ++i) {
        P::step(state, from[i * g.in_step], i);
        to[i * g.out_step] = P::finish(state);
      }
    }
  }

  /// Everything before this thread's elements in the block's piece, and what the whole piece comes to.
  static TL_DEVICE State before(State mine, State& all) {
    __shared__ Words<State> part[warps];
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    TL_UNROLL for (int distance = 1; distance < warp_size; distance *= 2) {
      State earlier = from_earlier_lane(mine, distance);
      P::join(earlier, mine);
      if (lane() >= distance) mine = earlier;
    }
    if (lane() == warp_size - 1) part[warp].state = mine;
    State in_warp = from_earlier_lane(mine, 1);
    if (lane() == 0) in_warp = P::identity();
    __syncthreads();
    State result = P::identity();
    all = P::identity();
    for (int w = 0; w < warps; ++w) {
      if (w == warp) result = all;
      P::join(all, part[w].state);
    }
    __syncthreads();  // part is free again
    P::join(result, in_warp);
    return result;
  }

  static TL_DEVICE void blocks(const ScanArguments& g) {
    for (int64_t line = blockIdx.x; line < g.lines.count; line += gridDim.x) {
      const Offsets<2> at = offsets_of(g.lines, line);
      const T* const from = static_cast<const T*>(g.in) + at.of[0];
      T* const to = static_cast<T*>(g.out) + at.of[1];
      State carried = P::identity();
      for (int64_t begin = 0; begin < g.length; begin += threads * items) {
        const int64_t first = begin + static_cast<int64_t>(threadIdx.x) * items;
        State running[items], state = P::identity(), all;
        TL_UNROLL for (int j = 0; j < items; ++j) {
          if (first + j < g.length) P::step(state, from[(first + j) * g.in_step], 0);
          running[j] = state;
        }
        State prefix = carried;
        P::join(prefix, before(state, all));
        TL_UNROLL for (int j = 0; j < items; ++j) {
          State value = prefix;
          P::join(value, running[j]);
          if (first + j < g.length) to[(first + j) * g.out_step] = P::finish(value);
        }
        P::join(carried, all);
      }
    }
  }
};

#endif

}  // namespace kernels
