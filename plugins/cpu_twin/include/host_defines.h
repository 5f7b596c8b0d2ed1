#pragma once
#define __HOST_DEFINES_H__  // Thrust asks for it before it redefines these words

// The words that mark CUDA code. Under g++ and in C they vanish, so that one header serves host and device.

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// Device memory is host memory here: the runtime makes a managed variable live at its host address, which it
// knows by this section (launch_glue.h).
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device)) __attribute__((section("twin_managed"), used))
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#endif

#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_stdcall__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI

// For the definitions of these headers. They carry no line numbers: what is inlined counts as the line that calls.
#if defined(__clang__)
#define TWIN_INLINE __inline__ __attribute__((always_inline, nodebug, unused))
#else
#define TWIN_INLINE __inline__ __attribute__((always_inline, unused))
#endif
#define TWIN_MEMBER __host__ __device__ TWIN_INLINE
#define TWIN_DEVICE_MEMBER __device__ TWIN_INLINE
#define TWIN_HD __host__ __device__ static TWIN_INLINE
#define TWIN_D __device__ static TWIN_INLINE
