#pragma once

/// What the runtime of a real device wants once, when it is opened; the twin has its own. (The files that end in
/// _cuda.cpp are those that the twin replaces.)
namespace cuda_backend {

void set_up_device(int ordinal) noexcept;

}  // namespace cuda_backend
