#pragma once

#include "group.cuh"
#include "index.cuh"
#include "policies.cuh"

/// The forms of every reduction.
///   rows      a block for each output (or each piece of one); neighbouring threads take neighbouring elements
///   warps     a warp for each output
///   columns   neighbouring threads take neighbouring outputs, the block's rows of threads share the elements
///   finish    joins the pieces of rows and columns, in order
namespace kernels {

struct ReduceArguments {
  const void* in;
  void* out;
  void* partial;  // states of outputs × pieces, where there is more than one piece
  int64_t piece;  // elements of an output that one block takes
  int64_t pieces;
  Nest<2> kept;     // of the input and the output
  Nest<1> reduced;  // of the input
};

#if TL_ON_DEVICE

template <class P, class T> struct Reduction {
  using State = typename P::State;
  using Out = typename P::Out;

  /// Elements first, first + step, … below last. Along a line four loads are on their way at once.
  static TL_DEVICE void fold(State& state, const T* from, const Nest<1>& nest, int64_t first,
                             int64_t last, int64_t step) {
    if (nest.rank > 1) {
      for (int64_t i = first; i < last; i += step) P::step(state, from[offsets_of(nest, i).of[0]], i);
      return;
    }
    const int64_t stride = nest.stride[0][0];
    int64_t i = first;
    for (; i + 3 * step < last; i += 4 * step) {
      T x[4];
      TL_UNROLL for (int j = 0; j < 4; ++j) x[j] = from[(i + j * step) * stride];
      TL_UNROLL for (int j = 0; j < 4; ++j) P::step(state, x[j], i + j * step);
    }
    for (; i < last; i += step) P::step(state, from[i * stride], i);
  }

  static TL_DEVICE int64_t end_of_piece(const ReduceArguments& g, int64_t first) {
    return first + g.piece < g.reduced.count ? first + g.piece : g.reduced.count;
  }

  static TL_DEVICE void keep(const ReduceArguments& g, int64_t output, int64_t piece,
                             int64_t out_offset, const State& state) {
    if (g.pieces > 1)
      static_cast<State*>(g.partial)[output * g.pieces + piece] = state;
    else
      static_cast<Out*>(g.out)[out_offset] = P::finish(state);
  }

  template <bool is_block> static TL_DEVICE void rows(const ReduceArguments& g) {
    using Members = Group<is_block>;
    for (int64_t task = Members::first(); task < g.kept.count * g.pieces; task += Members::count()) {
      const int64_t output = g.pieces > 1 ? task / g.pieces : task, piece = task - output * g.pieces;
      const Offsets<2> at = offsets_of(g.kept, output);
      const int64_t first = piece * g.piece;
      State state = P::identity();
      fold(state, static_cast<const T*>(g.in) + at.of[0], g.reduced, first + Members::rank(),
           end_of_piece(g, first), Members::size());
      state = Members::template total<P>(state);
      if (Members::rank() == 0) keep(g, output, piece, at.of[1], state);
    }
  }

  static TL_DEVICE void columns(const ReduceArguments& g) {
    __shared__ Words<State> part[256];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int width = static_cast<int>(blockDim.x), height = static_cast<int>(blockDim.y);
    const int64_t tiles = (g.kept.count + width - 1) / width;
    for (int64_t task = blockIdx.x; task < tiles * g.pieces; task += gridDim.x) {
      const int64_t tile = g.pieces > 1 ? task / g.pieces : task, piece = task - tile * g.pieces;
      const int64_t output = tile * width + x, first = piece * g.piece;
      const bool exists = output < g.kept.count;
      Offsets<2> at = {};
      State state = P::identity();
      if (exists) {
        at = offsets_of(g.kept, output);
        fold(state, static_cast<const T*>(g.in) + at.of[0], g.reduced, first + y,
             end_of_piece(g, first), height);
      }
      if (height > 1) {
        part[y * width + x].state = state;
        __syncthreads();
        if (y == 0)
          for (int row = 1; row < height; ++row) P::join(state, part[row * width + x].state);
        __syncthreads();
      }
      if (exists && y == 0) keep(g, output, piece, at.of[1], state);
    }
  }

  static TL_DEVICE void finish(const ReduceArguments& g) {
    using Members = Group<false>;
    const State* const partial = static_cast<const State*>(g.partial);
    for (int64_t output = Members::first(); output < g.kept.count; output += Members::count()) {
      State state = P::identity();
      for (int64_t piece = Members::rank(); piece < g.pieces; piece += Members::size())
        P::join(state, partial[output * g.pieces + piece]);
      state = Members::template total<P>(state);
      if (Members::rank() == 0)
        static_cast<Out*>(g.out)[offsets_of(g.kept, output).of[1]] = P::finish(state);
    }
  }
};

#endif

}  // namespace kernels
