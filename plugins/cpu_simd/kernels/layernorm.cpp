#include "kernels/layernorm_bw.h"
#include "kernels/layernorm_fw.h"
#include "shared.h"

namespace cpu_simd::TL_ISA {
namespace {

int32_t layernorm_fw(const tl_layernorm_fw_args& args, tl_error*) noexcept {
  if (dtype_key(args.input->dtype) == key_float32)
    LayerNorm<float>(args).run();
  else
    LayerNorm<double>(args).run();
  return TL_OK;
}

int32_t layernorm_bw(const tl_layernorm_bw_args& args, tl_error* error) noexcept {
  char* workspace = nullptr;
  if (args.dgamma || args.dbeta) {
    workspace =
        workspace_of(args.head, static_cast<uint64_t>(plan_layernorm(args).workspace_bytes), error);
    if (!workspace) return TL_E_ARGUMENT;
  }
  if (dtype_key(args.input->dtype) == key_float32)
    LayerNormGradient<float>(args, workspace).run();
  else
    LayerNormGradient<double>(args, workspace).run();
  return TL_OK;
}

}  // namespace

void add_layernorm(KernelSet& set) noexcept {
  set.layernorm_fw = layernorm_fw;
  set.layernorm_bw = layernorm_bw;
}

}  // namespace cpu_simd::TL_ISA
