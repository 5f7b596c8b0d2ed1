#pragma once

#include <torchlight/plugin.h>

namespace torchlight::drop_ins {
struct Options;
}

/// What the runtime of a real device wants once, when it is opened; the twin has its own. (The files that end in
/// _cuda.cpp are those that the twin replaces.)
namespace cuda_backend {

/// Once, when the plug-in is entered.
void set_up_process(const tl_host* host) noexcept;
void set_up_device(int ordinal) noexcept;

/// Whether drop-ins, which work in the host's memory, can be given a device's views as they are. Else they get copies.
bool drop_ins_reach_memory() noexcept;
/// Says how sources dropped in are compiled.
void set_drop_in_compiler(torchlight::drop_ins::Options& options);

}  // namespace cuda_backend
