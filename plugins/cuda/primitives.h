#pragma once

#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

#include "launch.h"

/// The primitives and extensions: each plans a call that was found acceptable and enqueues its kernels.
namespace cuda_backend {

int32_t map(Call& call, const tl_map_args& args) noexcept;
int32_t zip(Call& call, const tl_zip_args& args) noexcept;
int32_t reduce(Call& call, const tl_reduce_args& args) noexcept;
int32_t matmul(Call& call, const tl_matmul_args& args) noexcept;
int32_t attn_softmax_fw(Call& call, const tl_attn_softmax_fw_args& args) noexcept;
int32_t attn_softmax_bw(Call& call, const tl_attn_softmax_bw_args& args) noexcept;
int32_t layernorm_fw(Call& call, const tl_layernorm_fw_args& args) noexcept;
int32_t layernorm_bw(Call& call, const tl_layernorm_bw_args& args) noexcept;
int32_t gather(Call& call, const tl_index_args& args) noexcept;
int32_t scatter_add(Call& call, const tl_index_args& args) noexcept;
int32_t scan(Call& call, const tl_scan_args& args) noexcept;
int32_t random(Call& call, const tl_random_args& args) noexcept;
int32_t optim(Call& call, const tl_optim_args& args) noexcept;

}  // namespace cuda_backend
