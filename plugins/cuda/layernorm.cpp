#include "kernels/layernorm_gradient.cuh"

#include "common/workspace.h"
#include "layernorm_plan.h"
#include "memory.h"
#include "nest_plan.h"
#include "primitives.h"
#include "row_form.h"

namespace cuda_backend {
namespace {

/// What has only the rows' axes, or only the columns', doesn't move along the others.
enum class Has { rows, columns, both };

struct Operand {
  const tl_view* view;
  Has has;
};

/// The leading axes of `shape` as loops over operands, or the last `normalized` ones.
template <std::size_t n>
Loops axes(const tl_view& shape, uint32_t normalized, bool rows, const Operand (&operand)[n],
           Order order) noexcept {
  const uint32_t split = shape.rank - normalized, begin = rows ? 0 : split,
                 end = rows ? split : shape.rank;
  Loops loops(n);
  for (uint32_t d = begin; d < end; ++d) {
    int64_t stride[Loops::max_operands] = {};
    for (std::size_t k = 0; k < n; ++k) {
      const bool moves = operand[k].has == Has::both || (operand[k].has == Has::rows) == rows;
      const uint32_t axis = operand[k].has == Has::columns ? d - split : d;
      if (moves) stride[k] = stride_of(operand[k].view, axis);
    }
    loops.add(shape.extent[d], {stride[0], stride[1], stride[2], stride[3], stride[4]});
  }
  loops.settle(order);
  return loops;
}

void* address_or_null(const tl_view* view) noexcept { return view ? address_of(*view) : nullptr; }

template <class Arguments>
int32_t run_rows(Call& call, bool backward, tl_dtype dtype, const Arguments& g) noexcept {
  static Kernel kernel[2][types][kernels::row_forms];
  const kernels::RowForm form = kernels::row_form(g.columns.count, g.columns.rank <= 1);
  const auto describe = [&](KernelName& n) {
    describe_rows(n, "layernorm.cu", "layernorm", backward ? "backward" : "forward", type_name(dtype),
                  kernels::row_form_names[form.form]);
  };
  return call.launch(kernel[backward][type_index(dtype)][form.form], describe,
                     shape_of_rows(form, g.rows.count), g);
}

/// Statistics of the rows, and the output where it is given.
int32_t forward(Call& call, const tl_view& x, const tl_view* gamma, const tl_view* beta,
                const tl_view* output, const tl_view* mean, const tl_view* rstd, double eps,
                uint32_t normalized) noexcept {
  const Operand along_rows[] = {
      {&x, Has::both}, {output, Has::both}, {mean, Has::rows}, {rstd, Has::rows}};
  const Operand along_columns[] = {
      {&x, Has::both}, {output, Has::both}, {gamma, Has::columns}, {beta, Has::columns}};
  kernels::LayernormArguments g{};
  g.x = address_of(x);
  g.gamma = address_or_null(gamma);
  g.beta = address_or_null(beta);
  g.out = address_or_null(output);
  g.mean = address_or_null(mean);
  g.rstd = address_or_null(rstd);
  g.eps = eps;
  g.rows = axes(x, normalized, true, along_rows, Order::row_major).nest<4>();
  g.columns = axes(x, normalized, false, along_columns, Order::memory).nest<4>();
  return run_rows(call, false, x.dtype, g);
}

int32_t input_gradient(Call& call, const tl_layernorm_bw_args& args, const tl_view* mean,
                       const tl_view* rstd) noexcept {
  const Operand along_rows[] = {{args.grad, Has::both},
                                {args.input, Has::both},
                                {mean, Has::rows},
                                {rstd, Has::rows},
                                {args.dinput, Has::both}};
  const Operand along_columns[] = {{args.grad, Has::both},
                                   {args.input, Has::both},
                                   {args.gamma, Has::columns},
                                   {args.dinput, Has::both}};
  kernels::LayernormGradientArguments g{};
  g.grad = address_of(*args.grad);
  g.x = address_of(*args.input);
  g.gamma = address_or_null(args.gamma);
  g.mean = address_of(*mean);
  g.rstd = address_of(*rstd);
  g.dinput = address_of(*args.dinput);
  g.rows = axes(*args.input, args.normalized, true, along_rows, Order::row_major).nest<5>();
  g.columns = axes(*args.input, args.normalized, false, along_columns, Order::memory).nest<4>();
  return run_rows(call, true, args.input->dtype, g);
}

int32_t run_sums(Call& call, tl_dtype dtype, bool finish, int64_t blocks,
                 const kernels::LayernormSumsArguments& g) noexcept {
  static Kernel kernel[types][2];
  const auto describe = [&](KernelName& n) {
    describe_rows(n, "layernorm.cu", "layernorm", "sums", type_name(dtype),
                  finish ? "finish" : "pieces");
  };
  return call.launch(kernel[type_index(dtype)][finish], describe, {blocks, 1, 32, 8}, g);
}

/// The gradients of gamma and beta.
int32_t sums(Call& call, const tl_layernorm_bw_args& args, const LayernormPlan& plan,
             const tl_view* mean, const tl_view* rstd, char* partial) noexcept {
  const Operand along_rows[] = {
      {args.grad, Has::both}, {args.input, Has::both}, {mean, Has::rows}, {rstd, Has::rows}};
  const Operand along_columns[] = {{args.grad, Has::both},
                                   {args.input, Has::both},
                                   {args.dgamma, Has::columns},
                                   {args.dbeta, Has::columns}};
  kernels::LayernormSumsArguments g{};
  g.grad = address_of(*args.grad);
  g.x = address_of(*args.input);
  g.mean = address_or_null(mean);
  g.rstd = address_or_null(rstd);
  g.partial = partial;
  g.dgamma = address_or_null(args.dgamma);
  g.dbeta = address_or_null(args.dbeta);
  g.piece = plan.piece;
  g.pieces = plan.pieces;
  g.rows = axes(*args.input, args.normalized, true, along_rows, Order::row_major).nest<4>();
  g.columns = axes(*args.input, args.normalized, false, along_columns, Order::memory).nest<4>();
  const int64_t tiles = (plan.columns + 31) / 32;
  const int32_t status = run_sums(call, args.input->dtype, false, tiles * plan.pieces, g);
  return status == TL_OK ? run_sums(call, args.input->dtype, true, tiles, g) : status;
}

/// A view like a saved statistic's, without gaps, into the workspace.
tl_view statistic(const tl_view& input, uint32_t normalized, char* at) noexcept {
  tl_view view = input;
  view.rank = input.rank - normalized;
  view.base = at;
  view.byte_offset = 0;
  int64_t step = 1;
  for (uint32_t d = view.rank; d-- > 0; step *= view.extent[d]) view.stride[d] = step;
  return view;
}

}  // namespace

int32_t layernorm_fw(Call& call, const tl_layernorm_fw_args& args) noexcept {
  if (int32_t status = check_memory(
          &call.device(), {args.input, args.gamma, args.beta, args.output, args.mean, args.rstd},
          call.error()))
    return status;
  return forward(call, *args.input, args.gamma, args.beta, args.output, args.mean, args.rstd, args.eps,
                 args.normalized);
}

int32_t layernorm_bw(Call& call, const tl_layernorm_bw_args& args) noexcept {
  if (int32_t status = check_memory(&call.device(),
                                    {args.grad, args.input, args.gamma, args.mean, args.rstd,
                                     args.dinput, args.dgamma, args.dbeta},
                                    call.error()))
    return status;
  const LayernormPlan plan = plan_layernorm(args);
  if (plan.columns == 0) return TL_OK;
  char* workspace = nullptr;
  if (plan.workspace_bytes > 0) {
    workspace = plugins::workspace_of(args.head, plan.workspace_bytes, call.error());
    if (!workspace) return TL_E_ARGUMENT;
    if (int32_t status = check_memory(&call.device(), {args.head.workspace}, call.error()))
      return status;
  }
  const tl_view *mean = args.mean, *rstd = args.rstd;
  tl_view own_mean, own_rstd;
  if (plan.needs_statistics) {
    own_mean = statistic(*args.input, args.normalized, workspace + plan.mean_at);
    own_rstd = statistic(*args.input, args.normalized, workspace + plan.rstd_at);
    mean = &own_mean, rstd = &own_rstd;
    if (int32_t status = forward(call, *args.input, nullptr, nullptr, nullptr, mean, rstd, args.eps,
                                 args.normalized))
      return status;
  }
  // The sums first: dinput may be the gradient's own memory.
  if (plan.pieces > 0)
    if (int32_t status = sums(call, args, plan, mean, rstd, workspace)) return status;
  return args.dinput && plan.rows > 0 ? input_gradient(call, args, mean, rstd) : TL_OK;
}

}  // namespace cuda_backend
