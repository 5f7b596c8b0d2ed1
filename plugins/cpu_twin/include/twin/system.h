#pragma once
#pragma GCC system_header

// What a kernel asks the system for: output, traps, memory, clocks.

#include <stddef.h>

extern "C" {
__device__ int printf(const char* format, ...);  // clang lowers it to vprintf
__device__ int vprintf(const char* format, const char* arguments);
__device__ void* malloc(size_t bytes) __attribute__((malloc)) __attribute__((nothrow));
__device__ void free(void* pointer) __attribute__((nothrow));
__device__ __attribute__((noreturn)) void __assertfail(const char* expression, const char* file,
                                                       unsigned int line, const char* function,
                                                       size_t char_size);
// What assert of <assert.h> calls.
__device__ __attribute__((noreturn, nodebug)) static inline void __assert_fail(const char* expression,
                                                                               const char* file,
                                                                               unsigned int line,
                                                                               const char* function) {
  __assertfail(expression, file, line, function, sizeof(char));
}
}

// Launches from the device, which headers of Thrust mention; nothing defines them here.
extern "C" __device__ void* cudaGetParameterBuffer(size_t alignment, size_t bytes);
extern "C" __device__ cudaError_t cudaLaunchDevice(void* kernel, void* arguments, dim3 grid, dim3 block,
                                                   unsigned int shared_bytes, cudaStream_t stream);

TWIN_D void __trap() { asm volatile("trap;"); }
TWIN_D void __brkpt() { asm volatile("brkpt;"); }
__device__ __attribute__((noreturn)) static inline void abort() {
  __trap();
  __builtin_unreachable();
}

TWIN_D long clock() { return __nvvm_read_ptx_sreg_clock(); }
TWIN_D long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
TWIN_D void __nanosleep(unsigned int nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

TWIN_D void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
TWIN_D void* memset(void* pointer, int byte, size_t bytes) {
  return __builtin_memset(pointer, byte, bytes);
}

TWIN_D unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
TWIN_D unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
TWIN_D unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
TWIN_D unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
TWIN_D size_t __cvta_generic_to_shared(const void* p) {
  size_t address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
TWIN_D size_t __cvta_generic_to_global(const void* p) {
  size_t address;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}

// clang puts a <new> of its own before the C++ library's, with operators for the device over malloc and free.
#include <new>
