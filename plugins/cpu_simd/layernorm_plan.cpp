#include "layernorm_plan.h"

#include <algorithm>

namespace cpu_simd {
namespace {

int64_t round_up(int64_t value, int64_t step) noexcept { return (value + step - 1) / step * step; }

/// Where another axis has no extent, it may wrap.
int64_t product(const tl_view& view, uint32_t begin, uint32_t end) noexcept {
  uint64_t count = 1;
  for (uint32_t d = begin; d < end; ++d) count *= static_cast<uint64_t>(view.extent[d]);
  return static_cast<int64_t>(count);
}

}  // namespace

LayerNormPlan plan_layernorm(const tl_layernorm_bw_args& args) noexcept {
  const uint32_t split = args.input->rank - args.normalized;
  const int64_t rows = product(*args.input, 0, split),
                columns = product(*args.input, split, args.input->rank);
  const bool sums = args.dgamma || args.dbeta;
  LayerNormPlan plan{};
  plan.pitch = round_up(columns, 16);
  // Enough blocks to share among threads, few enough for their sums to stay in the cache.
  const int64_t most = sums ? std::clamp<int64_t>((1 << 20) / (plan.pitch + 1), 1, 64) : rows + 1;
  const int64_t worth = 65536 / (columns + 1) + 1;
  plan.block_rows = round_up(std::max(worth, (rows + most - 1) / most), 8);
  plan.blocks = (rows + plan.block_rows - 1) / plan.block_rows;
  if (sums) plan.workspace_bytes = plan.blocks * 4 * plan.pitch * (args.input->dtype.bits / 8) + 64;
  return plan;
}

}  // namespace cpu_simd
