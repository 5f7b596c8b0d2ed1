#pragma once

#include "index.cuh"
#include "index_fault.cuh"
#include "types.cuh"

/// gather and scatter_add along one axis. An index out of range is found before anything is written: a kernel of
/// its own looks for the first one, and the others do nothing where there is one, or was one on this stream.
namespace kernels {

struct CheckIndexArguments {
  const int64_t* index;
  IndexFault* fault;
  int64_t limit;
  Nest<2> nest;  // of the index's distinct elements: where they lie, and their positions
};

struct IndexArguments {
  const void* source;
  const int64_t* index;
  void* out;
  IndexFault* fault;
  int64_t step;   // stride of the selected axis, in source for gather and in the output for scatter_add
  int64_t limit;  // its extent
  // scatter_add: along the axis
  int64_t length, index_step, source_step;
  Nest<3> nest;       // of output, index and source; scatter_add: without the axis
  Nest<1> positions;  // of the index, in row-major order
};

#if TL_ON_DEVICE

TL_DEVICE bool is_outside(int64_t value, int64_t limit) {
  return static_cast<uint64_t>(value) >= static_cast<uint64_t>(limit);
}

TL_DEVICE void check_index(const CheckIndexArguments& g) {
  if (g.fault->described) return;
  for (int64_t i = first_index(); i < g.nest.count; i += index_step()) {
    const Offsets<2> at = offsets_of(g.nest, i);
    if (is_outside(g.index[at.of[0]], g.limit))
      atomicMin(reinterpret_cast<unsigned long long*>(&g.fault->position),
                static_cast<unsigned long long>(at.of[1]));
  }
}

/// True where nothing may be written. Who finds it first says what was found.
TL_DEVICE bool has_failed(const IndexArguments& g) {
  if (g.fault->position == no_fault) return false;
  const bool first = blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0;
  if (first && !g.fault->described) {
    g.fault->value = g.index[offsets_of(g.positions, static_cast<int64_t>(g.fault->position)).of[0]];
    g.fault->limit = g.limit;
    g.fault->described = 1;
  }
  return true;
}

template <class T> TL_DEVICE void gather(const IndexArguments& g) {
  if (has_failed(g)) return;
  const T* const source = static_cast<const T*>(g.source);
  for (int64_t i = first_index(); i < g.nest.count; i += index_step()) {
    const Offsets<3> at = offsets_of(g.nest, i);
    static_cast<T*>(g.out)[at.of[0]] = source[at.of[2] + g.index[at.of[1]] * g.step];
  }
}

/// What is added to one element is added by one thread, in the index's order: the same bits every time. A thread
/// has a lane, that is a place in all axes but the selected one, and of that axis the places whose lower bits are
/// its group's. blockIdx.y is the group; there are a power of two of them.
template <class T> struct ScatterAdd {
  static TL_DEVICE bool is_ours(int64_t index) {
    return (static_cast<uint32_t>(index) & (gridDim.y - 1)) == blockIdx.y;
  }

  static TL_DEVICE void lanes(const IndexArguments& g) {
    if (has_failed(g)) return;
    for (int64_t lane = first_index(); lane < g.nest.count; lane += index_step()) {
      const Offsets<3> at = offsets_of(g.nest, lane);
      for (int64_t i = 0; i < g.length; ++i) {
        const int64_t index = g.index[at.of[1] + i * g.index_step];
        if (!is_ours(index)) continue;
        T* const to = static_cast<T*>(g.out) + at.of[0] + index * g.step;
        *to = *to + static_cast<const T*>(g.source)[at.of[2] + i * g.source_step];
      }
    }
  }

  /// One list of indices for all lanes: the block's threads look for their group's entries together.
  static TL_DEVICE void list(const IndexArguments& g) {
    __shared__ int64_t entry[256], place[256];
    __shared__ int in_warp[8];
    if (has_failed(g)) return;
    const int t = static_cast<int>(threadIdx.x), warp = t / 32;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * 256; first < g.nest.count;
         first += index_step()) {
      const bool exists = first + t < g.nest.count;
      Offsets<3> at = {};
      if (exists) at = offsets_of(g.nest, first + t);
      for (int64_t begin = 0; begin < g.length; begin += 256) {
        const int64_t i = begin + t, index = i < g.length ? g.index[i * g.index_step] : 0;
        const bool ours = i < g.length && is_ours(index);
        const uint32_t found = __ballot_sync(0xffffffffu, ours);
        if (t % 32 == 0) in_warp[warp] = __popc(found);
        __syncthreads();
        int before = __popc(found & ((1u << t % 32) - 1)), all = 0;
        for (int w = 0; w < 8; ++w) {
          if (w < warp) before += in_warp[w];
          all += in_warp[w];
        }
        if (ours) entry[before] = i, place[before] = index;
        __syncthreads();
        for (int e = 0; exists && e < all; ++e) {
          T* const to = static_cast<T*>(g.out) + at.of[0] + place[e] * g.step;
          *to = *to + static_cast<const T*>(g.source)[at.of[2] + entry[e] * g.source_step];
        }
        __syncthreads();  // the lists are free again
      }
    }
  }
};

#endif

}  // namespace kernels
