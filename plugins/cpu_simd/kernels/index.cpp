#include "kernels/index_bounds.h"
#include "kernels/index_walk.h"
#include "parallel.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

int32_t check_bounds(const tl_view& index, int64_t limit, tl_error* error) noexcept {
  const BadIndex bad = find_bad_index(index, limit);
  if (!bad.found) return TL_OK;
  return fail(TL_E_ARGUMENT, error, "index %lld at position %lld is outside 0 to %lld",
              static_cast<long long>(bad.value), static_cast<long long>(bad.position),
              static_cast<long long>(limit - 1));
}

constexpr int64_t index_grain = 32768;  // elements to give to a thread at once

int64_t index_at(const char* p) noexcept { return *reinterpret_cast<const int64_t*>(p); }

/// A run of `n` elements of type T, strides in bytes.
template <class T>
void copy_run(char* out, int64_t out_step, const char* from, int64_t from_step, int64_t n) noexcept {
  if (out_step == sizeof(T) && from_step == sizeof(T)) {
    __builtin_memcpy(out, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(out + i * out_step) = *reinterpret_cast<const T*>(from + i * from_step);
}

template <class T> void gather_as(const IndexWalk& walk) noexcept {
  const int64_t n = walk.run(), step = walk.step;
  const int64_t* const stride = walk.stride[walk.rank - 1];
  const int64_t from_step = stride[walk_chosen], index_step = stride[walk_index],
                out_step = stride[walk_other];
  parallel_ranges(walk.runs(), 1 + index_grain / n, [&](int64_t begin, int64_t end) noexcept {
    walk.for_runs(begin, end, [&](char* const(&p)[3]) {
      if (index_step == 0)
        return copy_run<T>(p[walk_other], out_step, p[walk_chosen] + index_at(p[walk_index]) * step,
                           from_step, n);
      for (int64_t i = 0; i < n; ++i) {
        const char* const from =
            p[walk_chosen] + i * from_step + index_at(p[walk_index] + i * index_step) * step;
        *reinterpret_cast<T*>(p[walk_other] + i * out_step) = *reinterpret_cast<const T*>(from);
      }
    });
  });
}

int32_t gather(const tl_index_args& args, tl_error* error) noexcept {
  if (is_empty(*args.index)) return TL_OK;
  if (int32_t status = check_bounds(*args.index, args.source->extent[args.axis], error)) return status;
  const IndexWalk walk(*args.source, *args.index, *args.output, args.axis);
  switch (args.source->dtype.bits) {
    case 8: gather_as<uint8_t>(walk); break;
    case 16: gather_as<uint16_t>(walk); break;
    case 32: gather_as<uint32_t>(walk); break;
    default: gather_as<uint64_t>(walk); break;
  }
  return TL_OK;
}

template <class T>
void add_run(char* out, int64_t out_step, const char* from, int64_t from_step, int64_t n) noexcept {
  if (out_step == sizeof(T) && from_step == sizeof(T)) {
    T* __restrict to = reinterpret_cast<T*>(out);
    const T* __restrict values = reinterpret_cast<const T*>(from);
    for (int64_t i = 0; i < n; ++i) to[i] += values[i];
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(out + i * out_step) += *reinterpret_cast<const T*>(from + i * from_step);
}

/// All runs in order, but only elements first … first + n - 1 of each.
template <class T> void scatter_part(const IndexWalk& walk, int64_t first, int64_t n) noexcept {
  const int64_t step = walk.step;
  const int64_t* const stride = walk.stride[walk.rank - 1];
  const int64_t to_step = stride[walk_chosen], index_step = stride[walk_index],
                from_step = stride[walk_other];
  walk.for_runs(0, walk.runs(), [&](char* const(&p)[3]) {
    char* const to = p[walk_chosen] + first * to_step;
    const char* const from = p[walk_other] + first * from_step;
    if (index_step == 0)
      return add_run<T>(to + index_at(p[walk_index]) * step, to_step, from, from_step, n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t index = index_at(p[walk_index] + (first + i) * index_step);
      *reinterpret_cast<T*>(to + i * to_step + index * step) +=
          *reinterpret_cast<const T*>(from + i * from_step);
    }
  });
}

/// Threads share the columns of the runs where the axis is another one: whatever is added to one
/// element is added by one thread, in the index's order.
template <class T> void scatter_as(const IndexWalk& walk, bool runs_along_axis) noexcept {
  const int64_t n = walk.run();
  const int64_t pieces =
      runs_along_axis ? 1 : least(ceil_div(n, 128), ceil_div(n * walk.runs(), index_grain));
  parallel_for(pieces, [&](int64_t i) noexcept {
    const int64_t first = piece_start(n, pieces, i);
    scatter_part<T>(walk, first, piece_start(n, pieces, i + 1) - first);
  });
}

int32_t scatter_add(const tl_index_args& args, tl_error* error) noexcept {
  if (is_empty(*args.index)) return TL_OK;
  if (int32_t status = check_bounds(*args.index, args.output->extent[args.axis], error)) return status;
  const IndexWalk walk(*args.output, *args.index, *args.source, args.axis);
  switch (dtype_key(args.source->dtype)) {
    case key_float32: scatter_as<float>(walk, walk.runs_along_axis); break;
    case key_float64: scatter_as<double>(walk, walk.runs_along_axis); break;
    default: scatter_as<uint64_t>(walk, walk.runs_along_axis); break;  // int64, modulo 2^64
  }
  return TL_OK;
}

}  // namespace

void add_index(KernelSet& set) noexcept {
  set.gather = gather;
  set.scatter_add = scatter_add;
}

}  // namespace cpu_simd::TL_ISA
