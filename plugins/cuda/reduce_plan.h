#pragma once

#include "nest_plan.h"

namespace cuda_backend {

/// How a reduction is done. Depends on the views' extents and strides alone, so that `supports` knows it and the
/// same call gives the same bits on every device.
struct ReducePlan {
  enum Form { rows, warps, columns };

  Loops kept{2};     // of the input and the output
  Loops reduced{1};  // of the input
  Form form = warps;
  unsigned width = 256, height = 1;  // of a block
  int64_t tasks = 0;                 // blocks (warps: warps) of one piece
  int64_t piece = 1, pieces = 1;
  uint64_t workspace_bytes = 0;
};

ReducePlan plan_reduce(const tl_reduce_args& args) noexcept;

}  // namespace cuda_backend
