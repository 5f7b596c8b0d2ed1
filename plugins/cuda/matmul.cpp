#include "matmul_plan.h"

#include <algorithm>

#include "common/check_common.h"
#include "common/domains.h"
#include "common/workspace.h"
#include "kernels/matmul.cuh"
#include "kernels/pack.cuh"
#include "memory.h"
#include "nest_plan.h"
#include "primitives.h"

namespace cuda_backend {
namespace {

using plugins::MatmulProblem;

constexpr const char* forms[] = {"small", "large", "columns", "rows", "finish"};
constexpr int finish = 4;

/// Four neighbours may be taken as words where their first one is aligned in every row and batch.
int32_t allows_packs(const MatmulProblem& p, const plugins::MatmulOperand& x, int64_t item,
                     bool by_columns) noexcept {
  const int64_t unit = by_columns ? x.row : x.column, other = by_columns ? x.column : x.row;
  const int64_t bytes = std::min<int64_t>(16, item * kernels::pack_size);
  bool allowed =
      unit == 1 && other % kernels::pack_size == 0 && reinterpret_cast<uintptr_t>(x.data) % bytes == 0;
  for (int64_t d = 0; d < p.batch_rank; ++d) allowed &= x.batch[d] % kernels::pack_size == 0;
  return allowed;
}

/// a and b may have their unit stride in either direction.
kernels::MatmulOperand input(const MatmulProblem& p, const plugins::MatmulOperand& x, int64_t item,
                             bool along_k) noexcept {
  return {x.data, x.row, x.column, allows_packs(p, x, item, along_k), 0};
}

kernels::MatmulArguments arguments_of(const MatmulPlan& plan, int64_t in_item,
                                      int64_t out_item) noexcept {
  const MatmulProblem& p = plan.problem;
  Loops batch(4);
  for (int64_t d = 0; d < p.batch_rank; ++d)
    batch.add(p.batch_extent[d],
              {p.a.batch[d], p.b.batch[d], p.out.batch[d], p.has_bias ? p.bias.batch[d] : 0});
  batch.settle(Order::row_major);
  kernels::MatmulArguments g{};
  g.a = input(p, p.a, in_item, p.a.column != 1);
  g.b = input(p, p.b, in_item, p.b.row == 1);
  g.out = {p.out.data, p.out.row, p.out.column, allows_packs(p, p.out, out_item, false), 0};
  if (p.has_bias) g.bias = {p.bias.data, p.bias.row, p.bias.column, 0, 0};
  g.m = p.m, g.n = p.n, g.k = p.k;
  g.slice = plan.slice, g.slices = plan.slices;
  g.alpha = p.alpha, g.beta = p.beta;
  g.activation = p.activation;
  g.batch = batch.nest<4>();
  return g;
}

const char* activation_name(uint32_t fn) noexcept {
  return fn == TL_FN_NONE ? "none" : plugins::map_row(fn).name;
}

int32_t run(Call& call, const tl_matmul_args& args, int form, const Shape& shape,
            const kernels::MatmulArguments& g) noexcept {
  static Kernel kernel[types][types][5][96];  // the last index: the activation
  const tl_dtype in = args.a->dtype, out = args.output->dtype;
  const auto describe = [&](KernelName& n) {
    n.file = "matmul.cu";
    std::snprintf(
        n.selection, sizeof n.selection,
        "-DTL_SELECT_TYPE=%s -DTL_SELECT_OUT=%s -DTL_SELECT_FORM=%s -DTL_SELECT_ACTIVATION=%s",
        type_name(in), type_name(out), forms[form], activation_name(args.activation));
    std::snprintf(n.name, sizeof n.name, "tl_matmul_%s_%s_%s", type_name(in), type_name(out),
                  forms[form]);
  };
  return call.launch(kernel[type_index(in)][type_index(out)][form][args.activation], describe, shape,
                     g);
}

/// Our own kernels: any strides, all types, any activation.
int32_t multiply(Call& call, const tl_matmul_args& args, const MatmulPlan& plan) noexcept {
  kernels::MatmulArguments g = arguments_of(plan, args.a->dtype.bits / 8, args.output->dtype.bits / 8);
  if (plan.slices > 1) {
    g.partial = plugins::workspace_of(args.head, plan.workspace_bytes, call.error());
    if (!g.partial) return TL_E_ARGUMENT;
    if (int32_t status = check_memory(&call.device(), {args.head.workspace}, call.error()))
      return status;
  }
  const bool is_columns = plan.form == MatmulPlan::columns;
  const Shape shape{plan.tiles * plan.slices, 1, is_columns ? 32u : 256u, is_columns ? 8u : 1u};
  const int32_t status = run(call, args, plan.form, shape, g);
  if (status != TL_OK || plan.slices == 1) return status;
  return run(call, args, finish, shape_of(call.device(), g.m * g.n * g.batch.count), g);
}

}  // namespace

int32_t matmul(Call& call, const tl_matmul_args& args) noexcept {
  if (int32_t status =
          check_memory(&call.device(), {args.a, args.b, args.output, args.bias}, call.error()))
    return status;
  const MatmulPlan plan = plan_matmul(args);
  if (plan.problem.is_empty) return TL_OK;
  // Here a library that multiplies faster takes what it can (plain strides, no activation); the rest is ours.
  return multiply(call, args, plan);
}

}  // namespace cuda_backend
