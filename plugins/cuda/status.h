#pragma once

#include <cuda_runtime_api.h>
#include <torchlight/plugin.h>

namespace cuda_backend {

/// A call of the runtime as a status of the ABI, with a text that names the operation. The runtime's own memory of
/// the error is cleared; errors that destroy the device's context come back with the next call all the same.
int32_t check_call(cudaError_t result, const char* operation, tl_error* error) noexcept;

}  // namespace cuda_backend
