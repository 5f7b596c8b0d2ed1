// The runtime API in C++ with another compiler, and the documented numbers.
#include <cuda_runtime.h>

static_assert(cudaErrorInvalidValue == 1 && cudaErrorMemoryAllocation == 2 && cudaErrorNotReady == 600);
static_assert(cudaErrorIllegalAddress == 700 && cudaErrorAssert == 710 &&
              cudaErrorLaunchFailure == 719);
static_assert(cudaMemcpyDefault == 4 && cudaDevAttrMultiProcessorCount == 16);
static_assert(sizeof(dim3) == 12 && sizeof(float3) == 12 && alignof(float4) == 16 &&
              alignof(double4) == 16);
static_assert(alignof(uchar4) == 4 && alignof(short2) == 4 && alignof(longlong2) == 16);

cudaError_t use_runtime_api(float** pointer, cudaStream_t stream) {
  if (const cudaError_t error = cudaMalloc(pointer, 16)) return error;
  const float4 v = make_float4(1, 2, 3, 4);
  if (const cudaError_t error = cudaMemcpy(*pointer, &v, sizeof v, cudaMemcpyHostToDevice))
    return error;
  return cudaMemsetAsync(*pointer, 0, 16, stream);
}
