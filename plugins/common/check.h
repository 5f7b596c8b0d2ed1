#pragma once

#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

/// What the kernels accept. `supports` and the calls themselves ask the same functions, so that the two
/// can't disagree. TL_OK with the traits in `answer`, or TL_DECLINED with the reason in `error`.
namespace plugins {

int32_t check(const tl_map_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_zip_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_reduce_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_matmul_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_attn_softmax_fw_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_attn_softmax_bw_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_layernorm_fw_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check(const tl_layernorm_bw_args& args, tl_support* answer, tl_error* error) noexcept;
int32_t check_scan(const tl_scan_args& args, tl_error* error) noexcept;
int32_t check_random(const tl_random_args& args, tl_error* error) noexcept;
int32_t check_optim(const tl_optim_args& args, tl_error* error) noexcept;
int32_t check_gather(const tl_index_args& args, tl_error* error) noexcept;
int32_t check_scatter_add(const tl_index_args& args, tl_error* error) noexcept;

}  // namespace plugins
