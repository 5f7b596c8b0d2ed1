#pragma once

#include <torchlight/plugin.h>

namespace plugins {

/// The scratch memory of a call that asked for `bytes` of it, or NULL with the reason in `error`.
char* workspace_of(const tl_args& head, uint64_t bytes, tl_error* error) noexcept;

}  // namespace plugins
