#pragma once

#include <torchlight/plugin.h>

namespace cuda_backend {

/// How the rows are cut for the gradients of gamma and beta, and what lies where in the workspace: sums of the
/// pieces, then the statistics that the caller didn't save.
struct LayernormPlan {
  int64_t rows, columns;
  int64_t piece, pieces;  // of rows; pieces is 0 where neither gradient is wanted
  uint64_t mean_at, rstd_at;
  bool needs_statistics;
  uint64_t workspace_bytes;
};

LayernormPlan plan_layernorm(const tl_layernorm_bw_args& args) noexcept;

}  // namespace cuda_backend
