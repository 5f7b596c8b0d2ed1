#include "common/hooks.h"

#include "layernorm_plan.h"
#include "matmul_plan.h"
#include "shared.h"

namespace plugins {

int32_t check_place(const tl_view& view, const char* what, tl_error* error) noexcept {
  return view.block ? fail(TL_DECLINED, error, "%s: device memory", what) : TL_OK;
}

uint64_t workspace_bytes(const tl_reduce_args&) noexcept { return 0; }

uint64_t workspace_bytes(const tl_matmul_args& args) noexcept {
  using namespace cpu_simd;
  const MatmulProblem problem = normalise_matmul(args);
  if (choose_path(problem) != MatmulPath::blocked) return 0;
  return static_cast<uint64_t>(matmul_blocks(problem).workspace_bytes());
}

uint64_t workspace_bytes(const tl_layernorm_bw_args& args) noexcept {
  return static_cast<uint64_t>(cpu_simd::plan_layernorm(args).workspace_bytes);
}

}  // namespace plugins
