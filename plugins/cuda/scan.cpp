#include "kernels/scan.cuh"

#include "common/domains.h"
#include "memory.h"
#include "nest_plan.h"
#include "primitives.h"

namespace cuda_backend {
namespace {

/// A block for each line pays where a line is long and there aren't enough of them, side by side, for a thread each.
bool shares_lines(const Loops& lines, int64_t length) noexcept {
  const bool side_by_side = lines.inner_stride(0) == 1 || lines.inner_stride(0) == -1;
  return length >= 128 && lines.count() < (side_by_side ? 2048 : 16384);
}

}  // namespace

int32_t scan(Call& call, const tl_scan_args& args) noexcept {
  static Kernel kernel[8][types][2];
  const tl_view &in = *args.input, &out = *args.output;
  if (is_empty(out)) return TL_OK;
  if (int32_t status = check_memory(&call.device(), {&in, &out}, call.error())) return status;
  const int64_t item = in.dtype.bits / 8;
  Loops lines(2);
  for (uint32_t d = 0; d < in.rank; ++d)
    if (d != args.axis) lines.add(in.extent[d], {in.stride[d], out.stride[d]});
  lines.settle(Order::memory);
  kernels::ScanArguments g{};
  g.length = in.extent[args.axis];
  g.in_step = in.stride[args.axis];
  g.out_step = out.stride[args.axis];
  const int64_t last = args.reverse ? (g.length - 1) * item : 0;  // where a line begins
  g.in = address_of(in) + last * g.in_step;
  g.out = address_of(out) + last * g.out_step;
  if (args.reverse) g.in_step = -g.in_step, g.out_step = -g.out_step;
  g.lines = lines.nest<2>();
  const bool blocks = shares_lines(lines, g.length);
  const auto describe = [&](KernelName& n) {
    const char *const function = plugins::reduce_row(args.fn).name, *const type = type_name(in.dtype);
    const char* const form = blocks ? "blocks" : "lines";
    n.file = "scan.cu";
    std::snprintf(n.selection, sizeof n.selection,
                  "-DTL_SELECT_FN=%s -DTL_SELECT_TYPE=%s -DTL_SELECT_FORM=%s", function, type, form);
    std::snprintf(n.name, sizeof n.name, "tl_scan_%s_%s_%s", function, type, form);
  };
  const Shape shape = blocks ? Shape{lines.count()} : shape_of(call.device(), lines.count());
  return call.launch(kernel[args.fn][type_index(in.dtype)][blocks], describe, shape, g);
}

}  // namespace cuda_backend
