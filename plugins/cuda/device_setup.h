#pragma once

#include <torchlight/plugin.h>

/// What the runtime of a real device wants once, when it is opened; the twin has its own. (The files that end in
/// _cuda.cpp are those that the twin replaces.)
namespace cuda_backend {

/// Once, when the plug-in is entered.
void set_up_process(const tl_host* host) noexcept;
void set_up_device(int ordinal) noexcept;

}  // namespace cuda_backend
