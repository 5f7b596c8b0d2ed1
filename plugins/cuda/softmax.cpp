#include "kernels/softmax.cuh"

#include "memory.h"
#include "nest_plan.h"
#include "primitives.h"
#include "row_form.h"

namespace cuda_backend {
namespace {

/// Rows are all axes but the last, in row-major order: the causal mask counts them.
kernels::SoftmaxArguments arguments_of(const tl_view& x, const tl_view* mask, const tl_view& output,
                                       double scale) noexcept {
  const uint32_t last = output.rank - 1;
  Loops rows(3);
  for (uint32_t d = 0; d < last; ++d)
    rows.add(output.extent[d], {x.stride[d], stride_of(mask, d), output.stride[d]});
  rows.settle(Order::row_major);
  kernels::SoftmaxArguments g{};
  g.x = address_of(x);
  g.mask = mask ? address_of(*mask) : nullptr;
  g.out = address_of(output);
  g.scale = scale;
  g.columns = output.extent[last];
  g.column_stride[0] = x.stride[last];
  g.column_stride[1] = stride_of(mask, last);
  g.column_stride[2] = output.stride[last];
  g.queries = output.rank > 1 ? output.extent[last - 1] : 1;
  g.rows = rows.nest<3>();
  return g;
}

int32_t run(Call& call, bool backward, tl_dtype dtype, const kernels::SoftmaxArguments& g) noexcept {
  static Kernel kernel[2][types][kernels::row_forms];
  if (g.columns == 0 || g.rows.count == 0) return TL_OK;
  const kernels::RowForm form = kernels::row_form(g.columns, true);
  const auto describe = [&](KernelName& n) {
    describe_rows(n, "softmax.cu", "softmax", backward ? "backward" : "forward", type_name(dtype),
                  kernels::row_form_names[form.form]);
  };
  return call.launch(kernel[backward][type_index(dtype)][form.form], describe,
                     shape_of_rows(form, g.rows.count), g);
}

}  // namespace

int32_t attn_softmax_fw(Call& call, const tl_attn_softmax_fw_args& args) noexcept {
  if (int32_t status = check_memory(&call.device(), {args.input, args.mask, args.output}, call.error()))
    return status;
  kernels::SoftmaxArguments g = arguments_of(*args.input, args.mask, *args.output, args.scale);
  g.causal = static_cast<int32_t>(args.causal);
  g.causal_offset = args.causal_offset;
  return run(call, false, args.output->dtype, g);
}

int32_t attn_softmax_bw(Call& call, const tl_attn_softmax_bw_args& args) noexcept {
  if (int32_t status = check_memory(&call.device(), {args.grad, args.soft, args.output}, call.error()))
    return status;
  return run(call, true, args.output->dtype,
             arguments_of(*args.grad, args.soft, *args.output, args.scale));
}

}  // namespace cuda_backend
