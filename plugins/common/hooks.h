#pragma once

#include <torchlight/plugin.h>

/// What the checks must know of the plug-in that they are compiled into. Each plug-in defines these.
namespace plugins {

/// May a view lie where it says that it lies? Asked for each view; TL_OK or a refusal that names `what`.
int32_t check_place(const tl_view& view, const char* what, tl_error* error) noexcept;

/// What a call that was found acceptable wants of scratch memory.
uint64_t workspace_bytes(const tl_reduce_args& args) noexcept;
uint64_t workspace_bytes(const tl_matmul_args& args) noexcept;
uint64_t workspace_bytes(const tl_layernorm_bw_args& args) noexcept;

}  // namespace plugins
