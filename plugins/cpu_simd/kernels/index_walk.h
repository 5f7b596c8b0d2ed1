#pragma once

#include "kernels/registers.h"
#include "kernels/views.h"

/// The loops of gather and scatter_add: the chosen view, the index and the other view are walked
/// together in row-major order, none of them empty; along the axis it is the index that says where the chosen one stands.
namespace cpu_simd::TL_ISA {

enum { walk_chosen = 0, walk_index = 1, walk_other = 2 };

/// Axes that are one to all three views are merged, so that rows selected by a list become runs.
struct IndexWalk {
  char* data[3];
  int64_t step;                  ///< bytes that one index stands for in the chosen view
  bool runs_along_axis = false;  ///< is the axis part of the innermost dimension?
  int rank = 0;
  int64_t extent[TL_MAX_RANK];
  int64_t stride[TL_MAX_RANK][3];  ///< in bytes; the chosen view's is 0 along the axis

  IndexWalk(const tl_view& chosen, const tl_view& index, const tl_view& other, uint32_t axis) noexcept {
    const tl_view* const views[3] = {&chosen, &index, &other};
    for (int v = 0; v < 3; ++v) data[v] = data_of<char>(*views[v]);
    step = chosen.stride[axis] * (chosen.dtype.bits / 8);
    for (uint32_t d = 0; d < index.rank; ++d) {
      int64_t bytes[3];
      for (int v = 0; v < 3; ++v) bytes[v] = views[v]->stride[d] * (views[v]->dtype.bits / 8);
      if (d == axis) bytes[walk_chosen] = 0;
      add(index.extent[d], bytes, d == axis);
    }
    if (rank == 0) add_axis(1, {0, 0, 0}, true);
  }

  int64_t run() const noexcept { return extent[rank - 1]; }
  int64_t runs() const noexcept {
    int64_t count = 1;
    for (int d = 0; d < rank - 1; ++d) count *= extent[d];
    return count;
  }

  /// f(pointers) for the runs begin … end-1.
  template <class F>
  CPU_SIMD_INLINE void for_runs(int64_t begin, int64_t end, const F& f) const noexcept {
    int64_t at[TL_MAX_RANK];
    char* p[3] = {data[0], data[1], data[2]};
    int64_t rest = begin;
    for (int d = rank - 2; d >= 0; --d) {
      at[d] = rest % extent[d];
      rest /= extent[d];
      for (int v = 0; v < 3; ++v) p[v] += at[d] * stride[d][v];
    }
    for (int64_t i = begin; i < end; ++i) {
      f(p);
      for (int d = rank - 2; d >= 0; --d) {
        for (int v = 0; v < 3; ++v) p[v] += stride[d][v];
        if (++at[d] < extent[d]) break;
        for (int v = 0; v < 3; ++v) p[v] -= extent[d] * stride[d][v];
        at[d] = 0;
      }
    }
  }

 private:
  void add(int64_t n, const int64_t (&bytes)[3], bool is_axis) noexcept {
    if (n == 1) return;
    if (rank > 0) {
      int64_t* const outer = stride[rank - 1];
      if (outer[0] == n * bytes[0] && outer[1] == n * bytes[1] && outer[2] == n * bytes[2]) {
        extent[rank - 1] *= n;
        for (int v = 0; v < 3; ++v) outer[v] = bytes[v];
        runs_along_axis |= is_axis;
        return;
      }
    }
    add_axis(n, bytes, is_axis);
  }

  void add_axis(int64_t n, const int64_t (&bytes)[3], bool is_axis) noexcept {
    extent[rank] = n;
    for (int v = 0; v < 3; ++v) stride[rank][v] = bytes[v];
    runs_along_axis = is_axis;
    ++rank;
  }
};

}  // namespace cpu_simd::TL_ISA
