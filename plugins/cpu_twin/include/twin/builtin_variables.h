#pragma once

// threadIdx and its like: objects without storage whose members read special registers.

#include "../vector_types.h"

#define TWIN_PART(NAME, MEMBER, SREG)                            \
  __declspec(property(get = read_##MEMBER)) unsigned int MEMBER; \
  TWIN_DEVICE_MEMBER static unsigned int read_##MEMBER() {       \
    return __nvvm_read_ptx_sreg_##SREG##_##MEMBER();             \
  }

#define TWIN_INDEX(NAME, SREG, CONVERSIONS)                   \
  struct TwinBuiltin_##NAME {                                 \
    TWIN_PART(NAME, x, SREG)                                  \
    TWIN_PART(NAME, y, SREG)                                  \
    TWIN_PART(NAME, z, SREG)                                  \
    CONVERSIONS                                               \
    TwinBuiltin_##NAME() = delete;                            \
    void operator=(const TwinBuiltin_##NAME&) const = delete; \
  };                                                          \
  extern const __device__ __attribute__((weak)) TwinBuiltin_##NAME NAME;

#define TWIN_TO_UINT3 \
  TWIN_DEVICE_MEMBER operator uint3() const { return uint3{read_x(), read_y(), read_z()}; }
#define TWIN_TO_DIM3 \
  TWIN_DEVICE_MEMBER operator dim3() const { return dim3(read_x(), read_y(), read_z()); }

TWIN_INDEX(threadIdx, tid, TWIN_TO_UINT3 TWIN_TO_DIM3)
TWIN_INDEX(blockIdx, ctaid, TWIN_TO_UINT3 TWIN_TO_DIM3)
TWIN_INDEX(blockDim, ntid, TWIN_TO_DIM3 TWIN_TO_UINT3)
TWIN_INDEX(gridDim, nctaid, TWIN_TO_DIM3 TWIN_TO_UINT3)

#undef TWIN_PART
#undef TWIN_INDEX
#undef TWIN_TO_UINT3
#undef TWIN_TO_DIM3

__device__ constexpr int warpSize = 32;
