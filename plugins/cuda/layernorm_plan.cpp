#include "layernorm_plan.h"

#include <algorithm>

namespace cuda_backend {
namespace {

int64_t ceil_div(int64_t a, int64_t b) noexcept { return a / b + (a % b != 0); }

uint64_t aligned(uint64_t bytes) noexcept { return (bytes + 255) / 256 * 256; }

int64_t product(const tl_view& view, uint32_t begin, uint32_t end) noexcept {
  uint64_t count = 1;
  for (uint32_t d = begin; d < end; ++d) {
    if (view.extent[d] == 0) return 0;
    count *= static_cast<uint64_t>(view.extent[d]);
  }
  return static_cast<int64_t>(count);
}

}  // namespace

LayernormPlan plan_layernorm(const tl_layernorm_bw_args& args) noexcept {
  constexpr int64_t enough_blocks = 1024, least_rows = 32, tile = 32;
  const tl_view& input = *args.input;
  const uint32_t split = input.rank - args.normalized;
  const int64_t item = input.dtype.bits / 8;
  LayernormPlan plan{};
  plan.rows = product(input, 0, split);
  plan.columns = product(input, split, input.rank);
  plan.piece = std::max<int64_t>(plan.rows, 1);
  uint64_t bytes = 0;
  if ((args.dgamma || args.dbeta) && plan.columns > 0) {
    const int64_t wanted =
        std::min(ceil_div(enough_blocks, ceil_div(plan.columns, tile)), plan.rows / least_rows);
    plan.piece = ceil_div(plan.piece, std::max<int64_t>(wanted, 1));
    plan.pieces = std::max<int64_t>(ceil_div(plan.rows, plan.piece), 1);
    bytes = aligned(static_cast<uint64_t>(plan.pieces * plan.columns * (item == 4 ? 16 : 32)));
  }
  plan.needs_statistics = (!args.mean || !args.rstd) && plan.rows > 0 && plan.columns > 0;
  if (plan.needs_statistics) {
    plan.mean_at = bytes;
    plan.rstd_at = bytes + aligned(static_cast<uint64_t>(plan.rows * item));
    bytes = plan.rstd_at + aligned(static_cast<uint64_t>(plan.rows * item));
  }
  plan.workspace_bytes = bytes;
  return plan;
}

}  // namespace cuda_backend
