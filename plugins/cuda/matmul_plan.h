#pragma once

#include "common/matmul_problem.h"

namespace cuda_backend {

/// Which kernel, and into how many slices of k: by the sizes and strides alone, for `supports` and the call.
struct MatmulPlan {
  enum Form { small, large, columns, rows };

  plugins::MatmulProblem problem;
  Form form = small;
  int64_t tiles = 0;  // blocks for one slice, in all batches
  int64_t slice = 0, slices = 1;
  uint64_t workspace_bytes = 0;
};

MatmulPlan plan_matmul(const tl_matmul_args& args) noexcept;

}  // namespace cuda_backend
