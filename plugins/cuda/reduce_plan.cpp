#include "reduce_plan.h"

#include <algorithm>

namespace cuda_backend {
namespace {

constexpr int64_t enough_blocks = 1024;  // more than any device runs at once, with some to spare

int64_t ceil_div(int64_t a, int64_t b) noexcept { return a / b + (a % b != 0); }

bool is_side_by_side(int64_t stride) noexcept { return stride == 1 || stride == -1; }

/// Bytes of the state of a policy (kernels/policies.cuh).
int64_t state_bytes(const tl_reduce_args& args) noexcept {
  const bool is_double = args.input->dtype.code == TL_FLOAT && args.input->dtype.bits == 64;
  switch (args.fn) {
    case TL_REDUCE_sum: return is_double ? 16 : 8;
    case TL_REDUCE_prod: return 8;
    case TL_REDUCE_argmax:
    case TL_REDUCE_argmin: return 16;
    case TL_REDUCE_any:
    case TL_REDUCE_all: return 4;
    default: return args.input->dtype.bits / 8;
  }
}

void choose_form(ReducePlan& plan) noexcept {
  const int64_t each = plan.reduced.count(), outputs = plan.kept.count();
  const bool reduces_neighbours =
      plan.reduced.rank() > 0 && is_side_by_side(plan.reduced.inner_stride(0));
  const bool keeps_neighbours = plan.kept.rank() > 0 && is_side_by_side(plan.kept.inner_stride(0));
  if (each < 16 || (keeps_neighbours && !reduces_neighbours)) {
    plan.form = ReducePlan::columns;
    plan.width = each < 16 ? 256 : 32;
    plan.height = 256 / plan.width;
    plan.tasks = ceil_div(outputs, plan.width);
  } else {
    plan.form = each <= 1024 && outputs > 1 ? ReducePlan::warps : ReducePlan::rows;
    plan.tasks = outputs;
  }
}

/// Where there are too few outputs for a whole device, each of them is cut.
void choose_pieces(ReducePlan& plan) noexcept {
  const int64_t each = plan.reduced.count();
  const int64_t least = plan.form == ReducePlan::rows ? 4096 : int64_t{64} * plan.height;
  plan.piece = std::max<int64_t>(each, 1);
  if (plan.form == ReducePlan::warps || plan.tasks == 0 || plan.tasks >= enough_blocks / 2) return;
  const int64_t wanted = std::min(ceil_div(enough_blocks, plan.tasks), each / least);
  if (wanted < 2) return;
  plan.piece = ceil_div(each, wanted);
  plan.pieces = ceil_div(each, plan.piece);
}

}  // namespace

ReducePlan plan_reduce(const tl_reduce_args& args) noexcept {
  const tl_view &in = *args.input, &out = *args.output;
  ReducePlan plan;
  for (uint32_t d = 0; d < in.rank; ++d) {
    if (args.axis_mask >> d & 1)
      plan.reduced.add(in.extent[d], {in.stride[d]});
    else
      plan.kept.add(in.extent[d], {in.stride[d], out.stride[d]});
  }
  const bool is_position = args.fn == TL_REDUCE_argmax || args.fn == TL_REDUCE_argmin;
  plan.kept.settle(Order::memory);
  plan.reduced.settle(is_position ? Order::row_major : Order::memory);
  choose_form(plan);
  choose_pieces(plan);
  if (plan.pieces > 1)
    plan.workspace_bytes = static_cast<uint64_t>(plan.kept.count() * plan.pieces * state_bytes(args));
  return plan;
}

}  // namespace cuda_backend
