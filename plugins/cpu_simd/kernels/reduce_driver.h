#pragma once

#include "kernels/iterate.h"
#include "kernels/reduce_axes.h"
#include "kernels/reduce_policies.h"
#include "parallel.h"

/// Runs a policy over any shape: along rows where the reduced axis is the one that lies closest in
/// memory, along columns where a kept one does. Work is cut by its size alone, and partial results join
/// in order, so that the number of threads changes no bit.
namespace cpu_simd::TL_ISA {

constexpr int64_t max_chunks = 16;  // of one reduction that several threads share

/// How many chunks a reduction of this many elements is cut into along its outermost axis.
CPU_SIMD_INLINE int64_t chunk_count(int64_t elements, int64_t outermost) noexcept {
  int64_t chunks = elements / parallel_threshold;
  if (chunks > max_chunks) chunks = max_chunks;
  if (chunks > outermost) chunks = outermost;
  return chunks < 1 ? 1 : chunks;
}

/// How many outputs of `each` elements are worth a thread.
CPU_SIMD_INLINE int64_t task_grain(int64_t each) noexcept {
  return each >= parallel_grain ? 1 : parallel_grain / (each + 1) + 1;
}

/// One output element: everything that the axes reach from p, folded.
template <class P> typename P::State reduce_all(const char* p, const Axes& axes) noexcept {
  using In = typename P::In;
  typename P::State state = P::identity();
  if (axes.count == 0) {
    P::fold(state, P::run(reinterpret_cast<const In*>(p), 1));
    return state;
  }
  const int last = axes.last();
  const int64_t n = axes.extent[last], step = axes.in[last];
  const int64_t outer = n == 0 ? 0 : axes.size() / n;
  for (int64_t i = 0; i < outer; ++i) {
    int64_t in, unused;
    offsets_of(axes, last, i, in, unused);
    const char* row = p + in;
    if (step == static_cast<int64_t>(sizeof(In))) {
      P::fold(state, P::run(reinterpret_cast<const In*>(row), n));
      continue;
    }
    In gathered[512];
    for (int64_t k = 0; k < n; k += 512) {
      const int64_t count = n - k < 512 ? n - k : 512;
      for (int64_t j = 0; j < count; ++j)
        gathered[j] = *reinterpret_cast<const In*>(row + (k + j) * step);
      P::fold(state, P::run(gathered, count));
    }
  }
  return state;
}

template <class P> void reduce_rows(const ReduceLoops& loops) noexcept {
  using Out = typename P::Out;
  const int64_t outputs = loops.kept.size(), each = loops.reduced.size();
  const int64_t chunks =
      outputs >= 8 || loops.reduced.count == 0 ? 1 : chunk_count(each, loops.reduced.extent[0]);
  const auto one = [&](int64_t i) noexcept {
    int64_t in, out;
    offsets_of(loops.kept, loops.kept.count, i, in, out);
    typename P::State state = P::identity();
    if (chunks == 1) {
      state = reduce_all<P>(loops.in + in, loops.reduced);
    } else {
      typename P::State parts[max_chunks];
      const int64_t extent = loops.reduced.extent[0], piece = (extent + chunks - 1) / chunks;
      parallel_for(chunks, [&](int64_t c) noexcept {
        Axes part = loops.reduced;
        const int64_t first = c * piece;
        part.extent[0] = first >= extent ? 0 : extent - first < piece ? extent - first : piece;
        parts[c] = reduce_all<P>(loops.in + in + first * part.in[0], part);
      });
      for (int64_t c = 0; c < chunks; ++c) P::fold(state, parts[c]);
    }
    *reinterpret_cast<Out*>(loops.out + out) = P::finish(state);
  };
  const bool serial = chunks > 1 || outputs * (each + 1) < parallel_threshold;
  parallel_ranges(outputs, serial ? outputs + 1 : task_grain(each),
                  [&](int64_t begin, int64_t end) noexcept {
                    for (int64_t i = begin; i < end; ++i) one(i);
                  });
}

/// States of n neighbouring columns, folded over everything that the axes reach from p.
template <class P>
void reduce_columns_all(const char* p, const Axes& axes, int64_t n,
                        typename P::State* states) noexcept {
  if (axes.count == 0) return P::columns(p, 1, 0, n, states);
  const int last = axes.last();
  const int64_t rows = axes.extent[last], outer = rows == 0 ? 0 : axes.size() / rows;
  for (int64_t i = 0; i < outer; ++i) {
    int64_t in, unused;
    offsets_of(axes, last, i, in, unused);
    P::columns(p + in, rows, axes.in[last], n, states);
  }
}

/// A matrix of few columns without gaps: several of its rows are taken as one, so that registers fill up.
template <class P>
void reduce_columns_folded(const char* p, int64_t rows, int64_t columns,
                           typename P::State* states) noexcept {
  constexpr int64_t tile = 8 * 64 / static_cast<int64_t>(sizeof(typename P::In));
  const int64_t together = tile / columns, width = together * columns, stacked = rows / together;
  const int64_t stride = width * static_cast<int64_t>(sizeof(typename P::In));
  typename P::State wide[tile];
  for (int64_t c = 0; c < width; ++c) wide[c] = P::identity();
  P::columns(p, stacked, stride, width, wide);
  for (int64_t c = 0; c < width; ++c) P::fold(states[c % columns], wide[c]);
  P::columns(p + stacked * stride, rows - stacked * together, stride / together, columns, states);
}

template <class P> void reduce_columns(const ReduceLoops& loops) noexcept {
  using In = typename P::In;
  using Out = typename P::Out;
  constexpr int64_t tile = 8 * 64 / static_cast<int64_t>(sizeof(In));
  const int last = loops.kept.last();
  const int64_t columns = loops.kept.extent[last], tiles = (columns + tile - 1) / tile;
  const int64_t tasks = columns == 0 ? 0 : loops.kept.size() / columns * tiles;
  const Axes& reduced = loops.reduced;
  const int64_t each = reduced.size() * (columns < tile ? columns : tile);
  const bool is_narrow = columns <= tile / 4 && reduced.count == 1 && reduced.extent[0] >= tile &&
                         reduced.in[0] == columns * static_cast<int64_t>(sizeof(In));
  const int64_t chunks = tasks >= 4 || reduced.count == 0 ? 1 : chunk_count(each, reduced.extent[0]);
  const auto part = [&](const char* p, const Axes& axes, int64_t n,
                        typename P::State* states) noexcept {
    for (int64_t c = 0; c < n; ++c) states[c] = P::identity();
    if (is_narrow)
      reduce_columns_folded<P>(p, axes.extent[0], n, states);
    else
      reduce_columns_all<P>(p, axes, n, states);
  };
  const auto one = [&](int64_t task) noexcept {
    int64_t in, out;
    offsets_of(loops.kept, last, task / tiles, in, out);
    const int64_t first = task % tiles * tile, n = columns - first < tile ? columns - first : tile;
    const char* p = loops.in + in + first * static_cast<int64_t>(sizeof(In));
    typename P::State states[tile];
    if (chunks == 1) {
      part(p, reduced, n, states);
    } else {
      typename P::State parts[max_chunks][tile];
      const int64_t extent = reduced.extent[0], piece = (extent + chunks - 1) / chunks;
      parallel_for(chunks, [&](int64_t c) noexcept {
        Axes axes = reduced;
        const int64_t begin = c * piece < extent ? c * piece : extent;
        axes.extent[0] = extent - begin < piece ? extent - begin : piece;
        part(p + begin * axes.in[0], axes, n, parts[c]);
      });
      for (int64_t c = 0; c < n; ++c) {
        states[c] = P::identity();
        for (int64_t k = 0; k < chunks; ++k) P::fold(states[c], parts[k][c]);
      }
    }
    char* to = loops.out + out + first * loops.kept.out[last];
    for (int64_t c = 0; c < n; ++c)
      *reinterpret_cast<Out*>(to + c * loops.kept.out[last]) = P::finish(states[c]);
  };
  const bool serial = chunks > 1 || tasks * each < parallel_threshold;
  parallel_ranges(tasks, serial ? tasks + 1 : task_grain(each),
                  [&](int64_t begin, int64_t end) noexcept {
                    for (int64_t t = begin; t < end; ++t) one(t);
                  });
}

template <class P> void reduce_with(const tl_reduce_args& args) noexcept {
  const ReduceLoops loops = make_reduce_loops(args, true);
  const int64_t item = sizeof(typename P::In);
  const Axes &kept = loops.kept, &reduced = loops.reduced;
  const bool reduces_neighbours = reduced.count > 0 && reduced.in[reduced.last()] == item;
  const bool keeps_neighbours =
      kept.count > 0 && kept.in[kept.last()] == item && kept.extent[kept.last()] > 1;
  if (keeps_neighbours && !reduces_neighbours && reduced.count > 0)
    reduce_columns<P>(loops);
  else
    reduce_rows<P>(loops);
}

using Reducer = void (*)(const tl_reduce_args&) noexcept;
Reducer find_reduce_real(uint32_t fn, const tl_dtype& dtype) noexcept;
Reducer find_reduce_int(uint32_t fn, const tl_dtype& dtype) noexcept;
Reducer find_reduce_truth(uint32_t fn, const tl_dtype& dtype) noexcept;
Reducer find_reduce_arg(uint32_t fn, const tl_dtype& dtype) noexcept;

}  // namespace cpu_simd::TL_ISA
