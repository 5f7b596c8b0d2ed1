#pragma once

// What every file of this folder begins with. Device code is C++14 and needs of CUDA its core alone: nvcc and
// clang compile it, and g++ compiles the functions (not the kernels), so that tests run them on the host.
#if defined(__CUDACC__) || defined(__CUDA__)
#include <cuda_runtime.h>
#define TL_ON_DEVICE 1
#define TL_DEVICE __device__ __forceinline__
#define TL_UNROLL _Pragma("unroll")
#else
#include <math.h>
#define TL_ON_DEVICE 0
#define TL_DEVICE inline
#define TL_UNROLL
#endif
#include <stdint.h>

/// Names that are put together of macros.
#define TL_JOIN_(a, b) a##b
#define TL_JOIN(a, b) TL_JOIN_(a, b)
#define TL_JOIN4(a, b, c, d) TL_JOIN(TL_JOIN(a, b), TL_JOIN(c, d))
#define TL_JOIN5(a, b, c, d, e) TL_JOIN(TL_JOIN4(a, b, c, d), e)

/// TL_KERNEL(name, arguments, threads, body): one kernel. It takes one struct, so that a launch is one pointer,
/// and never runs with more threads in a block than are said; TL_DENSE_KERNEL keeps its registers few enough for
/// that many blocks at once. A file that lists the kernels (kernel_list.h) defines TL_LIST_KERNEL and gets their
/// names instead.
#if defined(TL_LIST_KERNEL)
#define TL_KERNEL(name, Arguments, threads, ...) TL_LIST_KERNEL(name)
#define TL_DENSE_KERNEL(name, Arguments, threads, blocks, ...) TL_LIST_KERNEL(name)
#else
#define TL_KERNEL(name, Arguments, threads, ...) \
  extern "C" __global__ void __launch_bounds__(threads) name(const Arguments arguments) { __VA_ARGS__; }
#define TL_DENSE_KERNEL(name, Arguments, threads, blocks, ...)                                    \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const Arguments arguments) { \
    __VA_ARGS__;                                                                                  \
  }
#endif

namespace kernels {

/// The same bits as another type of that size.
template <class To, class From> TL_DEVICE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "types of one size");
  union {
    From from;
    To to;
  } bits = {from};
  return bits.to;
}

}  // namespace kernels
