#include "kernels/reduce.cuh"
#include "common/domains.h"
#include "common/workspace.h"
#include "memory.h"
#include "primitives.h"
#include "reduce_plan.h"

namespace cuda_backend {
namespace {

constexpr const char* forms[] = {"rows", "warps", "columns", "finish"};
constexpr int finish = 3;

int32_t run(Call& call, const tl_reduce_args& args, int form, const Shape& shape,
            const kernels::ReduceArguments& g) noexcept {
  static Kernel kernel[16][types][4];
  const char *const function = plugins::reduce_row(args.fn).name, *const type =
                                                                      type_name(args.input->dtype);
  const auto describe = [&](KernelName& n) {
    n.file = "reduce.cu";
    std::snprintf(n.selection, sizeof n.selection,
                  "-DTL_SELECT_FN=%s -DTL_SELECT_TYPE=%s -DTL_SELECT_FORM=%s", function, type,
                  forms[form]);
    std::snprintf(n.name, sizeof n.name, "tl_reduce_%s_%s_%s", function, type, forms[form]);
  };
  return call.launch(kernel[args.fn][type_index(args.input->dtype)][form], describe, shape, g);
}

}  // namespace

int32_t reduce(Call& call, const tl_reduce_args& args) noexcept {
  if (int32_t status = check_memory(&call.device(), {args.input, args.output}, call.error()))
    return status;
  const ReducePlan plan = plan_reduce(args);
  kernels::ReduceArguments g{};
  g.in = address_of(*args.input);
  g.out = address_of(*args.output);
  g.piece = plan.piece;
  g.pieces = plan.pieces;
  g.kept = plan.kept.nest<2>();
  g.reduced = plan.reduced.nest<1>();
  if (plan.pieces > 1) {
    g.partial = plugins::workspace_of(args.head, plan.workspace_bytes, call.error());
    if (!g.partial) return TL_E_ARGUMENT;
    if (int32_t status = check_memory(&call.device(), {args.head.workspace}, call.error()))
      return status;
  }
  const int64_t warps_of_block = 8;
  const Shape shape = plan.form == ReducePlan::warps
                          ? Shape{(plan.tasks + warps_of_block - 1) / warps_of_block}
                          : Shape{plan.tasks * plan.pieces, 1, plan.width, plan.height};
  const int32_t status = run(call, args, plan.form, shape, g);
  if (status != TL_OK || plan.pieces == 1) return status;
  return run(call, args, finish, {(g.kept.count + warps_of_block - 1) / warps_of_block}, g);
}

}  // namespace cuda_backend
