#include "kernels/reduce_axes.h"

namespace cpu_simd::TL_ISA {
namespace {

int64_t magnitude(int64_t x) noexcept { return x < 0 ? -x : x; }

void swap_axes(Axes& axes, int a, int b) noexcept {
  const int64_t e = axes.extent[a], i = axes.in[a], o = axes.out[a];
  axes.extent[a] = axes.extent[b];
  axes.in[a] = axes.in[b];
  axes.out[a] = axes.out[b];
  axes.extent[b] = e;
  axes.in[b] = i;
  axes.out[b] = o;
}

/// The largest input stride outermost.
void sort_by_memory(Axes& axes) noexcept {
  for (int i = 1; i < axes.count; ++i)
    for (int j = i; j > 0 && magnitude(axes.in[j - 1]) < magnitude(axes.in[j]); --j)
      swap_axes(axes, j - 1, j);
}

void merge(Axes& axes) noexcept {
  int kept = 0;
  for (int i = 1; i < axes.count; ++i) {
    const bool is_one =
        axes.in[kept] == axes.in[i] * axes.extent[i] && axes.out[kept] == axes.out[i] * axes.extent[i];
    if (is_one) {
      axes.extent[kept] *= axes.extent[i];
    } else {
      ++kept;
      axes.extent[kept] = axes.extent[i];
    }
    axes.in[kept] = axes.in[i];
    axes.out[kept] = axes.out[i];
  }
  if (axes.count > 0) axes.count = kept + 1;
}

}  // namespace

ReduceLoops make_reduce_loops(const tl_reduce_args& args, bool any_order) noexcept {
  const tl_view &in = *args.input, &out = *args.output;
  ReduceLoops loops;
  loops.in = static_cast<const char*>(in.base) + in.byte_offset;
  loops.out = static_cast<char*>(out.base) + out.byte_offset;
  for (uint32_t d = 0; d < in.rank; ++d) {
    if (in.extent[d] == 1) continue;
    int64_t in_stride = in.stride[d] * (in.dtype.bits / 8);
    if (!(args.axis_mask >> d & 1)) {
      loops.kept.push(in.extent[d], in_stride, out.stride[d] * (out.dtype.bits / 8));
      continue;
    }
    if (any_order && in_stride < 0 && in.extent[d] > 0) {  // walked forwards from its other end
      loops.in += (in.extent[d] - 1) * in_stride;
      in_stride = -in_stride;
    }
    loops.reduced.push(in.extent[d], in_stride, 0);
  }
  sort_by_memory(loops.kept);
  if (any_order) sort_by_memory(loops.reduced);
  merge(loops.kept);
  merge(loops.reduced);
  return loops;
}

void offsets_of(const Axes& axes, int count, int64_t index, int64_t& in, int64_t& out) noexcept {
  in = out = 0;
  for (int i = count - 1; i >= 0; --i) {
    const int64_t at = index % axes.extent[i];
    index /= axes.extent[i];
    in += at * axes.in[i];
    out += at * axes.out[i];
  }
}

}  // namespace cpu_simd::TL_ISA
