#include <algorithm>
#include <utility>

#include "common/domains.h"
#include "kernels/create.cuh"
#include "kernels/transpose.cuh"
#include "memory.h"
#include "nest_plan.h"
#include "primitives.h"

/// map and zip: flat where all operands lie alike and without gaps, strided else.
namespace cuda_backend {
namespace {

constexpr int max_functions = 96;  // ids of ops.def

/// An operation on up to three inputs.
struct Elementwise {
  const tl_view* output;
  const tl_view* input[3];
  double params[2];
};

Loops loops_of(const Elementwise& e, Order order) noexcept {
  Loops loops(4);
  for (uint32_t d = 0; d < e.output->rank; ++d)
    loops.add(e.output->extent[d], {e.output->stride[d], stride_of(e.input[0], d),
                                    stride_of(e.input[1], d), stride_of(e.input[2], d)});
  loops.settle(order);
  return loops;
}

bool is_flat(const Loops& loops) noexcept {
  if (loops.rank() > 1) return false;
  bool flat = loops.rank() == 0 || loops.inner_stride(0) == 1;
  for (int k = 1; k <= 3; ++k) flat &= loops.inner_stride(k) == 0 || loops.inner_stride(k) == 1;
  return flat;
}

/// May four elements of a view be taken as words?
bool is_aligned(const tl_view& view) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(address_of(view));
  return address % std::min<uintptr_t>(16, view.dtype.bits / 8 * kernels::pack_size) == 0;
}

kernels::FlatArguments flat_arguments(const Elementwise& e, const Loops& loops) noexcept {
  kernels::FlatArguments g{};
  g.out = address_of(*e.output);
  g.count = loops.count();
  bool aligned = is_aligned(*e.output);
  for (int k = 0; k < 3; ++k) {
    if (!e.input[k]) continue;
    g.in[k] = address_of(*e.input[k]);
    g.step[k] = static_cast<int32_t>(loops.inner_stride(k + 1));
    aligned &= g.step[k] == 0 || is_aligned(*e.input[k]);
  }
  g.packs = aligned ? g.count / kernels::pack_size : 0;
  std::copy_n(e.params, 2, g.params);
  return g;
}

kernels::StridedArguments strided_arguments(const Elementwise& e, const Loops& loops) noexcept {
  kernels::StridedArguments g{};
  g.out = address_of(*e.output);
  for (int k = 0; k < 3; ++k)
    if (e.input[k]) g.in[k] = address_of(*e.input[k]);
  std::copy_n(e.params, 2, g.params);
  g.nest = loops.nest<4>();
  return g;
}

/// `kernel` has a slot for each form; describe(name, form) names them.
template <class Describe>
int32_t run(Call& call, const Elementwise& e, Kernel (&kernel)[2], const Describe& describe) noexcept {
  const Loops loops = loops_of(e, Order::memory);
  const bool flat = is_flat(loops);
  const auto name = [&](KernelName& n) { describe(n, flat ? "flat" : "strided"); };
  if (!flat)
    return call.launch(kernel[1], name, shape_of(call.device(), loops.count()),
                       strided_arguments(e, loops));
  const kernels::FlatArguments g = flat_arguments(e, loops);
  return call.launch(kernel[0], name,
                     shape_of(call.device(), g.count, g.packs ? kernels::pack_size : 1), g);
}

/// The axis along which the input's neighbours lie, where it isn't the output's; -1 where tiles don't pay.
int transposed_axis(const Loops& loops) noexcept {
  constexpr int64_t least = 8;
  const int last = loops.rank() - 1;
  if (last < 1 || loops.inner_stride(0) != 1 || loops.inner_stride(1) == 1 ||
      loops.extent(last) < least)
    return -1;
  for (int d = 0; d < last; ++d)
    if (loops.stride(d, 1) == 1 && loops.extent(d) >= least) return d;
  return -1;
}

int32_t transpose(Call& call, const Elementwise& e, Loops loops, int axis) noexcept {
  static Kernel kernel[9];  // by bytes of an element
  const int last = loops.rank() - 1, bytes = e.output->dtype.bits / 8;
  kernels::TransposeArguments g{};
  g.in = address_of(*e.input[0]);
  g.out = address_of(*e.output);
  g.rows = loops.extent(axis);
  g.columns = loops.extent(last);
  g.in_step = loops.stride(last, 1);
  g.out_step = loops.stride(axis, 0);
  loops.remove(last);
  loops.remove(axis);
  g.others = loops.nest<2>();
  std::swap(g.others.stride[0], g.others.stride[1]);  // the kernel names the input first
  const auto describe = [bytes](KernelName& n) {
    n.file = "transpose.cu";
    std::snprintf(n.selection, sizeof n.selection, "-DTL_SELECT_TYPE=w%d", bytes);
    std::snprintf(n.name, sizeof n.name, "tl_transpose_w%d", bytes);
  };
  const int64_t tiles = (g.rows + 31) / 32 * ((g.columns + 31) / 32) * g.others.count;
  return call.launch(kernel[bytes], describe, {tiles, 1, 32, 8}, g);
}

int32_t copy(Call& call, const Elementwise& e) noexcept {
  static Kernel kernel[types][types][2];
  const tl_dtype from = e.input[0]->dtype, to = e.output->dtype;
  if (type_index(from) == type_index(to)) {
    const Loops loops = loops_of(e, Order::memory);
    const int axis = loops.count() > 0 ? transposed_axis(loops) : -1;
    if (axis >= 0) return transpose(call, e, loops, axis);
  }
  const auto describe = [&](KernelName& n, const char* form) {
    n.file = "copy.cu";
    std::snprintf(n.selection, sizeof n.selection,
                  "-DTL_SELECT_FROM=%s -DTL_SELECT_TO=%s -DTL_SELECT_FORM=%s", type_name(from),
                  type_name(to), form);
    std::snprintf(n.name, sizeof n.name, "tl_copy_%s_%s_%s", type_name(from), type_name(to), form);
  };
  return run(call, e, kernel[type_index(from)][type_index(to)], describe);
}

/// A function of ops.def, of `file`, that is named by this dtype.
int32_t run_function(Call& call, const Elementwise& e, const char* file, const char* kind,
                     const char* function, tl_dtype dtype, Kernel (&kernel)[2]) noexcept {
  const auto describe = [&](KernelName& n, const char* form) {
    n.file = file;
    std::snprintf(n.selection, sizeof n.selection,
                  "-DTL_SELECT_FN=%s -DTL_SELECT_TYPE=%s -DTL_SELECT_FORM=%s", function,
                  type_name(dtype), form);
    std::snprintf(n.name, sizeof n.name, "tl_%s_%s_%s_%s", kind, function, type_name(dtype), form);
  };
  return run(call, e, kernel, describe);
}

/// arange and eye, whose values come from an element's position.
int32_t create(Call& call, const Elementwise& e, const char* function, Kernel& kernel) noexcept {
  const tl_view& output = *e.output;
  const Loops loops = loops_of(e, Order::row_major);
  kernels::CreateArguments g{};
  g.out = address_of(output);
  std::copy_n(e.params, 2, g.params);
  g.columns = output.rank > 0 ? output.extent[output.rank - 1] : 1;
  g.rows = output.rank > 1 ? output.extent[output.rank - 2] : 1;
  g.nest = loops.nest<1>();
  const auto describe = [&](KernelName& n) {
    n.file = "create.cu";
    std::snprintf(n.selection, sizeof n.selection, "-DTL_SELECT_FN=%s -DTL_SELECT_TYPE=%s", function,
                  type_name(output.dtype));
    std::snprintf(n.name, sizeof n.name, "tl_map_%s_%s", function, type_name(output.dtype));
  };
  return call.launch(kernel, describe, shape_of(call.device(), loops.count()), g);
}

}  // namespace

int32_t map(Call& call, const tl_map_args& args) noexcept {
  static Kernel kernel[max_functions][types][2];
  if (int32_t status = check_memory(&call.device(), {args.output, args.input}, call.error()))
    return status;
  Elementwise e{args.output, {args.input, nullptr, nullptr}, {}};
  std::copy_n(args.params, std::min<uint32_t>(args.param_count, 2), e.params);
  if (args.fn == TL_MAP_copy) return copy(call, e);
  const char* const function = plugins::map_row(args.fn).name;
  const tl_dtype dtype = args.input ? args.input->dtype : args.output->dtype;
  Kernel(&slot)[2] = kernel[args.fn][type_index(dtype)];
  if (args.fn == TL_MAP_arange || args.fn == TL_MAP_eye) return create(call, e, function, slot[0]);
  return run_function(call, e, args.input ? "map.cu" : "create.cu", "map", function, dtype, slot);
}

int32_t zip(Call& call, const tl_zip_args& args) noexcept {
  static Kernel kernel[max_functions][types][2];
  const tl_view* const third = args.input_count > 2 ? args.inputs[2] : nullptr;
  if (int32_t status = check_memory(&call.device(),
                                    {args.output, args.inputs[0], args.inputs[1], third}, call.error()))
    return status;
  Elementwise e{args.output, {args.inputs[0], args.inputs[1], third}, {}};
  std::copy_n(args.params, std::min<uint32_t>(args.param_count, 2), e.params);
  const tl_dtype dtype = args.inputs[1]->dtype;
  return run_function(call, e, "zip.cu", "zip", plugins::zip_row(args.fn).name, dtype,
                      kernel[args.fn][type_index(dtype)]);
}

}  // namespace cuda_backend
