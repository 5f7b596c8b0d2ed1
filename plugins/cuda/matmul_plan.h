#pragma once

#include "common/matmul_problem.h"

namespace cuda_backend {

/// Which tile, and into how many slices of k: by the sizes alone, for `supports` and the call.
struct MatmulPlan {
  plugins::MatmulProblem problem;
  bool large = false;
  int64_t tiles = 0;  // of one slice, in all batches
  int64_t slice = 0, slices = 1;
  uint64_t workspace_bytes = 0;
};

MatmulPlan plan_matmul(const tl_matmul_args& args) noexcept;

}  // namespace cuda_backend
