#include "status.h"

#include "common/errors.h"

namespace cuda_backend {

int32_t check_call(cudaError_t result, const char* operation, tl_error* error) noexcept {
  if (result == cudaSuccess) return TL_OK;
  cudaGetLastError();
  const int32_t status = result == cudaErrorMemoryAllocation ? TL_E_MEMORY : TL_E_DEVICE;
  return plugins::fail(status, error, "%s: %s (%s)", operation, cudaGetErrorString(result),
                       cudaGetErrorName(result));
}

}  // namespace cuda_backend
