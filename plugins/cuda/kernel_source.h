#pragma once

#include <cuda_runtime_api.h>
#include <torchlight/plugin.h>

/// Where kernels come from. For the cuda plug-in nvcc compiled the files of kernels/ whole, and a name is looked up
/// in a table (kernel_source_cuda.cpp); the twin compiles the file with the selection at first use.
namespace cuda_backend {

/// The handle that cudaLaunchKernel takes. `file` is a file of kernels/, `selection` a list of -D options that
/// narrows what the file instantiates ("-DTL_SELECT_FN=exp -DTL_SELECT_TYPE=f32"), `name` the kernel's extern "C"
/// name. What went wrong stands in `error`.
cudaError_t find_kernel(const char* file, const char* selection, const char* name, const void** kernel,
                        tl_error* error) noexcept;

}  // namespace cuda_backend
