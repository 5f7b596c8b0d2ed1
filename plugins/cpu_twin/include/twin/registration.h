#pragma once

// What the object of a .cu file tells the runtime: its constructor registers the PTX that it carries, its kernels
// and its device variables. Each function is the CUDA runtime's of the same name with twin_ before it.

#include "../driver_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// `binary` is clang's wrapper {magic 0x466243b1, version, const void* data, unused}, where data is the file that
/// -fcuda-include-gpubinary named. Returns the handle that the other calls carry.
void** twin___cudaRegisterFatBinary(void* binary);
void twin___cudaRegisterFatBinaryEnd(void** handle);
void twin___cudaUnregisterFatBinary(void** handle);
/// `host_stub` is the address that launches name the kernel by. The last six are unused, NULL or -1.
int twin___cudaRegisterFunction(void** handle, const char* host_stub, char* device_stub,
                                const char* device_name, int thread_limit, uint3* tid, uint3* bid,
                                dim3* block, dim3* grid, int* warp_size);
/// `host_variable` is the address that the symbol functions name the variable by.
void twin___cudaRegisterVar(void** handle, char* host_variable, char* device_address,
                            const char* device_name, int is_extern, size_t bytes, int is_constant,
                            int is_global);
/// A __managed__ variable: on the device too it lives at `host_variable`. clang leaves zeros there; the initial
/// value is in the PTX, and has to be copied before registration ends, for host code may read it next.
void twin___cudaRegisterManagedVariable(void** handle, char* host_variable, const char* device_name,
                                        size_t bytes);
/// kernel<<<grid, block, shared, stream>>> pushes, and the kernel's host stub pops what was pushed.
unsigned int twin___cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                              cudaStream_t stream);
cudaError_t twin___cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                            void* stream);

#if defined(__cplusplus)
}
#endif
