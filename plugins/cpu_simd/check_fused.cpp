#include "check.h"
#include "check_common.h"
#include "errors.h"

namespace cpu_simd {

int32_t check(const tl_matmul_args&, tl_support*, tl_error* error) noexcept {
  return fail(TL_DECLINED, error, "matmul is not offered");
}

int32_t check(const tl_attn_softmax_fw_args&, tl_support*, tl_error* error) noexcept {
  return fail(TL_DECLINED, error, "attn_softmax_fw is not offered");
}

int32_t check(const tl_attn_softmax_bw_args&, tl_support*, tl_error* error) noexcept {
  return fail(TL_DECLINED, error, "attn_softmax_bw is not offered");
}

int32_t check(const tl_layernorm_fw_args&, tl_support*, tl_error* error) noexcept {
  return fail(TL_DECLINED, error, "layernorm_fw is not offered");
}

int32_t check(const tl_layernorm_bw_args&, tl_support*, tl_error* error) noexcept {
  return fail(TL_DECLINED, error, "layernorm_bw is not offered");
}

}  // namespace cpu_simd
