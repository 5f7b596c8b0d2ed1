#pragma once

#include <stdint.h>

// Declarations of the support functions, by the lists that the device's math header is made of.

#include "../../plugins/cpu_twin/include/twin/math_list.h"

extern "C" {

#define TWIN_X(NAME)                                  \
  void __twin_##NAME##f_32(float* out, const float*); \
  void __twin_##NAME##_32(double* out, const double*);
TWIN_MATH_STD_1(TWIN_X)
TWIN_MATH_CUDA_1(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                \
  void __twin_##NAME##f_32(float* out, const float*, const float*); \
  void __twin_##NAME##_32(double* out, const double*, const double*);
TWIN_MATH_STD_2(TWIN_X)
TWIN_MATH_CUDA_2(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                              \
  void __twin_##NAME##f_32(float* out, const float*, const float*, const float*); \
  void __twin_##NAME##_32(double* out, const double*, const double*, const double*);
TWIN_MATH_3(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                  \
  void __twin_##NAME##f_32(float* out, const int32_t*, const float*); \
  void __twin_##NAME##_32(double* out, const int32_t*, const double*);
TWIN_MATH_INT_FIRST(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                  \
  void __twin_##NAME##f_32(float* out, const float*, const int32_t*); \
  void __twin_##NAME##_32(double* out, const double*, const int32_t*);
TWIN_MATH_INT_SECOND(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                    \
  void __twin_##NAME##f_32(int32_t* out, const float*); \
  void __twin_##NAME##_32(int32_t* out, const double*);
TWIN_MATH_TO_INT(TWIN_X)
#undef TWIN_X

#define TWIN_X(NAME)                                                  \
  void __twin_##NAME##f_32(int32_t* out, const float*, const float*); \
  void __twin_##NAME##_32(int32_t* out, const double*, const double*);
TWIN_MATH_2_TO_INT(TWIN_X)
#undef TWIN_X

void __twin_rsqrtf_32(float* out, const float*);
void __twin_ex2_approx_32(float* out, const float*);
void __twin_lg2_approx_32(float* out, const float*);
void __twin_sin_approx_32(float* out, const float*);
void __twin_cos_approx_32(float* out, const float*);
void __twin_tanh_approx_32(float* out, const float*);
void __twin_rsqrt_approx_32(float* out, const float*);

}  // extern "C"
