#include "kernels/gather.cuh"

#include <algorithm>

#include "memory.h"
#include "nest_plan.h"
#include "primitives.h"

namespace cuda_backend {
namespace {

Kernel check_kernel, gather_kernel[17], scatter_kernel[types][2];

void describe_index(KernelName& n, const char* op, const char* type, const char* form) noexcept {
  n.file = "gather.cu";
  std::snprintf(n.selection, sizeof n.selection,
                "-DTL_SELECT_OP=%s -DTL_SELECT_TYPE=%s -DTL_SELECT_FORM=%s", op, type, form);
}

/// Looks for the first index out of range. Along broadcast axes the first position is that of the first element.
int32_t check_index(Call& call, const tl_view& index, int64_t limit) noexcept {
  Loops loops(2);
  int64_t weight[TL_MAX_RANK], positions = 1;
  for (uint32_t d = index.rank; d-- > 0; positions *= index.extent[d]) weight[d] = positions;
  for (uint32_t d = 0; d < index.rank; ++d)
    if (index.stride[d] != 0) loops.add(index.extent[d], {index.stride[d], weight[d]});
  loops.settle(Order::memory);
  kernels::CheckIndexArguments g{};
  g.index = reinterpret_cast<const int64_t*>(address_of(index));
  g.fault = call.stream().index_fault();
  g.limit = limit;
  g.nest = loops.nest<2>();
  const auto describe = [](KernelName& n) {
    describe_index(n, "check", "none", "none");
    std::snprintf(n.name, sizeof n.name, "tl_check_index");
  };
  call.stream().expects_indices();
  return call.launch(check_kernel, describe, shape_of(call.device(), loops.count()), g);
}

/// What gather and scatter_add have in common; `chosen` is the view whose axis the index selects in.
kernels::IndexArguments arguments_of(Call& call, const tl_index_args& args,
                                     const tl_view& chosen) noexcept {
  kernels::IndexArguments g{};
  g.source = address_of(*args.source);
  g.index = reinterpret_cast<const int64_t*>(address_of(*args.index));
  g.out = address_of(*args.output);
  g.fault = call.stream().index_fault();
  g.step = chosen.stride[args.axis];
  g.limit = chosen.extent[args.axis];
  Loops positions(1);
  for (uint32_t d = 0; d < args.index->rank; ++d)
    positions.add(args.index->extent[d], {args.index->stride[d]});
  positions.settle(Order::row_major);
  g.positions = positions.nest<1>();
  return g;
}

constexpr int of_output = 0, of_index = 1, of_source = 2;

/// Runs of neighbours that one index selects move sixteen bytes at a time. Returns the bytes of an element.
int64_t widen(Loops& loops, kernels::IndexArguments& g, int64_t item) noexcept {
  const int64_t factor = 16 / item;
  const bool aligned =
      reinterpret_cast<uintptr_t>(g.source) % 16 == 0 && reinterpret_cast<uintptr_t>(g.out) % 16 == 0;
  if (!aligned || g.step % factor != 0 || loops.inner_stride(of_index) != 0 ||
      !loops.allows_wider(factor, {of_output, of_source}))
    return item;
  loops.widen(factor, {of_output, of_source});
  g.step /= factor;
  return 16;
}

bool is_list(const tl_index_args& args) noexcept {
  for (uint32_t d = 0; d < args.index->rank; ++d)
    if (d != args.axis && args.index->extent[d] > 1 && args.index->stride[d] != 0) return false;
  return true;
}

/// A power of two of groups, so that there is work for the whole device though a lane's order is kept.
int64_t groups_of(int64_t lanes, int64_t limit) noexcept {
  int64_t groups = 1;
  while (groups < 256 && groups < limit && groups * lanes < 65536) groups *= 2;
  return groups;
}

}  // namespace

int32_t gather(Call& call, const tl_index_args& args) noexcept {
  const tl_view &source = *args.source, &index = *args.index, &output = *args.output;
  if (is_empty(index)) return TL_OK;
  if (int32_t status = check_memory(&call.device(), {&source, &index, &output}, call.error()))
    return status;
  if (int32_t status = check_index(call, index, source.extent[args.axis])) return status;
  kernels::IndexArguments g = arguments_of(call, args, source);
  Loops loops(3);
  for (uint32_t d = 0; d < index.rank; ++d)
    loops.add(index.extent[d],
              {output.stride[d], index.stride[d], d == args.axis ? 0 : source.stride[d]});
  loops.settle(Order::memory);
  const int64_t bytes = widen(loops, g, source.dtype.bits / 8);
  g.nest = loops.nest<3>();
  const auto describe = [bytes](KernelName& n) {
    char width[8];
    std::snprintf(width, sizeof width, "w%d", static_cast<int>(bytes));
    describe_index(n, "gather", width, "none");
    std::snprintf(n.name, sizeof n.name, "tl_gather_%s", width);
  };
  return call.launch(gather_kernel[bytes], describe, shape_of(call.device(), loops.count()), g);
}

int32_t scatter_add(Call& call, const tl_index_args& args) noexcept {
  const tl_view &source = *args.source, &index = *args.index, &output = *args.output;
  if (is_empty(index)) return TL_OK;
  if (int32_t status = check_memory(&call.device(), {&source, &index, &output}, call.error()))
    return status;
  if (int32_t status = check_index(call, index, output.extent[args.axis])) return status;
  kernels::IndexArguments g = arguments_of(call, args, output);
  g.length = source.extent[args.axis];
  g.index_step = index.stride[args.axis];
  g.source_step = source.stride[args.axis];
  Loops lanes(3);
  for (uint32_t d = 0; d < index.rank; ++d)
    if (d != args.axis)
      lanes.add(index.extent[d], {output.stride[d], index.stride[d], source.stride[d]});
  lanes.settle(Order::memory);
  g.nest = lanes.nest<3>();
  const bool list = is_list(args);
  const auto describe = [&](KernelName& n) {
    const char *const type = type_name(source.dtype), *const form = list ? "list" : "lanes";
    describe_index(n, "scatter_add", type, form);
    std::snprintf(n.name, sizeof n.name, "tl_scatter_add_%s_%s", type, form);
  };
  Shape shape = shape_of(call.device(), lanes.count());
  shape.groups = groups_of(lanes.count(), g.limit);
  return call.launch(scatter_kernel[type_index(source.dtype)][list], describe, shape, g);
}

}  // namespace cuda_backend
