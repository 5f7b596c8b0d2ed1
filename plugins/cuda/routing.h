#pragma once

#include <torchlight/ext/details.h>
#include <torchlight/plugin.h>

#include "launch.h"

/// Kernel drop-ins stand before our own kernels: a primitive goes to one that does the call as it is.
namespace cuda_backend {

/// Looks for files, once, and logs those that can't be used; runs none of them.
void find_drop_ins(const tl_host* host) noexcept;

template <class Args> bool has_drop_in(const Args& args) noexcept;

/// Whether the call is over: a drop-in did it, or failed in doing it, or the call's stream or memory is out of order;
/// `status` says which. A drop-in that fails is passed over, with a line in the log, and so are later calls when it
/// isn't used any more, unless TORCHLIGHT_FALLBACK=error forbids to do it otherwise.
template <class Args> bool run_drop_in(const Call& call, const Args& args, int32_t* status) noexcept;

/// Whether TORCHLIGHT_DROP_INS=only leaves nothing but drop-ins, so that whoever judges them sees nothing else.
bool only_drop_ins() noexcept;
/// TL_DECLINED, and why no drop-in does the call. REQUIRES: none does.
template <class Args> int32_t decline_own_kernel(const Args& args, tl_error* error) noexcept;

/// torchlight.details/1: which files there are, what is used of them, and why not the rest.
int32_t describe_drop_ins(tl_device* device, const tl_details_args* args, tl_error* error) noexcept;

}  // namespace cuda_backend
