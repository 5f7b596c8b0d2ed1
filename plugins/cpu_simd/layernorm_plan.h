#pragma once

#include <torchlight/plugin.h>

namespace cpu_simd {

/// How layernorm_bw cuts its rows, by size alone. Each block of rows sums its share of dgamma and dbeta
/// in four arrays of `pitch` elements of the workspace, and the blocks are added up in their order.
struct LayerNormPlan {
  int64_t blocks;
  int64_t block_rows;       ///< a multiple of 8
  int64_t pitch;            ///< elements of one array
  int64_t workspace_bytes;  ///< 0 where neither dgamma nor dbeta is asked for
};

LayerNormPlan plan_layernorm(const tl_layernorm_bw_args& args) noexcept;

}  // namespace cpu_simd
