#pragma once

// clang itself emits calls of __cudaRegisterFatBinary and the others under these very names. Hidden definitions in
// each object forward them to the twin, so that they can't meet the real CUDA runtime in the same process.

#include "registration.h"

#define TWIN_GLUE __attribute__((weak, visibility("hidden"), unused))

extern "C" {

// clang looks for these two by name.
#undef cudaLaunchKernel
TWIN_GLUE cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                       size_t shared_bytes, cudaStream_t stream) {
  return twin_cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
#define cudaLaunchKernel twin_cudaLaunchKernel
TWIN_GLUE unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                   cudaStream_t stream = 0) {
  return twin___cudaPushCallConfiguration(grid, block, shared_bytes, stream);
}

#if !defined(__CUDA_ARCH__)
TWIN_GLUE cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                 void* stream) {
  return twin___cudaPopCallConfiguration(grid, block, shared_bytes, stream);
}
TWIN_GLUE void** __cudaRegisterFatBinary(void* binary) { return twin___cudaRegisterFatBinary(binary); }
TWIN_GLUE void __cudaRegisterFatBinaryEnd(void** handle) { twin___cudaRegisterFatBinaryEnd(handle); }
TWIN_GLUE void __cudaUnregisterFatBinary(void** handle) { twin___cudaUnregisterFatBinary(handle); }
TWIN_GLUE int __cudaRegisterFunction(void** handle, const char* host_stub, char* device_stub,
                                     const char* device_name, int thread_limit, uint3* tid, uint3* bid,
                                     dim3* block, dim3* grid, int* warp_size) {
  return twin___cudaRegisterFunction(handle, host_stub, device_stub, device_name, thread_limit, tid,
                                     bid, block, grid, warp_size);
}

// The linker's names for the ends of section twin_managed (host_defines.h); NULL where there is none.
extern __attribute__((weak, visibility("hidden"))) char __start_twin_managed[];
extern __attribute__((weak, visibility("hidden"))) char __stop_twin_managed[];
TWIN_GLUE void __cudaRegisterVar(void** handle, char* host_variable, char* device_address,
                                 const char* device_name, int is_extern, size_t bytes, int is_constant,
                                 int is_global) {
  if (__start_twin_managed <= host_variable && host_variable < __stop_twin_managed) {
    twin___cudaRegisterManagedVariable(handle, host_variable, device_name, bytes);
  } else {
    twin___cudaRegisterVar(handle, host_variable, device_address, device_name, is_extern, bytes,
                           is_constant, is_global);
  }
}
#endif

}  // extern "C"
#undef TWIN_GLUE
