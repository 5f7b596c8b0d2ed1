#pragma once
#pragma GCC system_header

// The CUDA language surface of the twin: what nvcc puts before a .cu file. In C and under g++ it is the runtime
// API with the vector types alone. It has to come before the standard headers (twin/math_std.h), so .cu files are
// compiled with -include cuda_runtime.h.

#if defined(__CUDA__)
#if !defined(__CUDACC__)
#define __CUDACC__ 1
#endif
#if !defined(__CUDACC_VER_MAJOR__)
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 0
#endif
#endif

// Each builds on those before it.
// clang-format off
#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "cuda_runtime_api.h"
// clang-format on

#if defined(__CUDA__)
// Each builds on those before it.
// clang-format off
#include "twin/builtin_variables.h"
#include "twin/conversions.h"
#include "twin/arithmetic.h"
#include "twin/bits.h"
#include "twin/sync.h"
#include "twin/warp.h"
#include "twin/atomics.h"
#include "twin/cache_hints.h"
#include "twin/math.h"
#include "twin/min_max.h"
#include "twin/system.h"
#include "twin/launch_glue.h"
// clang-format on

// nvcc's own headers bring these, and programs rely on it. A file of kernels alone can do without.
#if !defined(TWIN_KERNELS_ONLY)
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
#endif

#if defined(__cplusplus)
#include "twin/linear_textures.h"
#include "twin/runtime_templates.h"
#endif
