#pragma once

#include <torchlight/ext/index.h>
#include <torchlight/ext/optim.h>
#include <torchlight/ext/random.h>
#include <torchlight/ext/scan.h>
#include <torchlight/plugin.h>

namespace cpu_simd {

/// The kernels compiled for one instruction set. What they get was accepted by check.h before; they
/// report only what can't be known earlier (an index out of range). NULL: not offered.
struct KernelSet {
  const char* name;
  int32_t (*map)(const tl_map_args&, tl_error*) noexcept;
  int32_t (*zip)(const tl_zip_args&, tl_error*) noexcept;
  int32_t (*reduce)(const tl_reduce_args&, tl_error*) noexcept;
  int32_t (*matmul)(const tl_matmul_args&, tl_error*) noexcept;
  int32_t (*attn_softmax_fw)(const tl_attn_softmax_fw_args&, tl_error*) noexcept;
  int32_t (*attn_softmax_bw)(const tl_attn_softmax_bw_args&, tl_error*) noexcept;
  int32_t (*layernorm_fw)(const tl_layernorm_fw_args&, tl_error*) noexcept;
  int32_t (*layernorm_bw)(const tl_layernorm_bw_args&, tl_error*) noexcept;
  int32_t (*gather)(const tl_index_args&, tl_error*) noexcept;
  int32_t (*scatter_add)(const tl_index_args&, tl_error*) noexcept;
  int32_t (*scan)(const tl_scan_args&, tl_error*) noexcept;
  int32_t (*random)(const tl_random_args&, tl_error*) noexcept;
  int32_t (*optim)(const tl_optim_args&, tl_error*) noexcept;
};

const KernelSet& kernel_set_sse2();
const KernelSet& kernel_set_avx2();
const KernelSet& kernel_set_avx512();
const KernelSet& kernel_set_neon();

}  // namespace cpu_simd
