#include "common/hooks.h"

#include "layernorm_plan.h"
#include "matmul_plan.h"
#include "reduce_plan.h"

namespace plugins {

/// `supports` is asked about views without memory; a call looks for itself (memory.h).
int32_t check_place(const tl_view&, const char*, tl_error*) noexcept { return TL_OK; }

uint64_t workspace_bytes(const tl_reduce_args& args) noexcept {
  return cuda_backend::plan_reduce(args).workspace_bytes;
}
uint64_t workspace_bytes(const tl_matmul_args& args) noexcept {
  return cuda_backend::plan_matmul(args).workspace_bytes;
}
uint64_t workspace_bytes(const tl_layernorm_bw_args& args) noexcept {
  return cuda_backend::plan_layernorm(args).workspace_bytes;
}

}  // namespace plugins
