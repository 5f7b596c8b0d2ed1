#pragma once

// Arithmetic with a named rounding: never contracted, never reassociated. Division by approximation is exact here.

// To nearest: as instructions, for clang makes ordinary sums and products of the built-ins and contracts those.
#define TWIN_NEAREST(NAME, T, INSTRUCTION, LETTER)                          \
  TWIN_D T NAME(T x, T y) {                                                 \
    T r;                                                                    \
    asm(INSTRUCTION " %0, %1, %2;" : "=" LETTER(r) : LETTER(x), LETTER(y)); \
    return r;                                                               \
  }
TWIN_NEAREST(__fadd_rn, float, "add.rn.f32", "f")
TWIN_NEAREST(__fsub_rn, float, "sub.rn.f32", "f")
TWIN_NEAREST(__fmul_rn, float, "mul.rn.f32", "f")
TWIN_NEAREST(__dadd_rn, double, "add.rn.f64", "d")
TWIN_NEAREST(__dsub_rn, double, "sub.rn.f64", "d")
TWIN_NEAREST(__dmul_rn, double, "mul.rn.f64", "d")
#undef TWIN_NEAREST

#define TWIN_DIRECTED(R, PTX)                                                          \
  TWIN_D float __fadd_##R(float x, float y) { return __nvvm_add_##PTX##_f(x, y); }     \
  TWIN_D float __fsub_##R(float x, float y) { return __nvvm_add_##PTX##_f(x, -y); }    \
  TWIN_D float __fmul_##R(float x, float y) { return __nvvm_mul_##PTX##_f(x, y); }     \
  TWIN_D double __dadd_##R(double x, double y) { return __nvvm_add_##PTX##_d(x, y); }  \
  TWIN_D double __dsub_##R(double x, double y) { return __nvvm_add_##PTX##_d(x, -y); } \
  TWIN_D double __dmul_##R(double x, double y) { return __nvvm_mul_##PTX##_d(x, y); }
TWIN_DIRECTED(rz, rz)
TWIN_DIRECTED(ru, rp)
TWIN_DIRECTED(rd, rm)
#undef TWIN_DIRECTED

#define TWIN_ROUNDED(R, PTX)                                                                   \
  TWIN_D float __fdiv_##R(float x, float y) { return __nvvm_div_##PTX##_f(x, y); }             \
  TWIN_D float __frcp_##R(float x) { return __nvvm_rcp_##PTX##_f(x); }                         \
  TWIN_D float __fsqrt_##R(float x) { return __nvvm_sqrt_##PTX##_f(x); }                       \
  TWIN_D float __fmaf_##R(float x, float y, float z) { return __nvvm_fma_##PTX##_f(x, y, z); } \
  TWIN_D double __ddiv_##R(double x, double y) { return __nvvm_div_##PTX##_d(x, y); }          \
  TWIN_D double __drcp_##R(double x) { return __nvvm_rcp_##PTX##_d(x); }                       \
  TWIN_D double __dsqrt_##R(double x) { return __nvvm_sqrt_##PTX##_d(x); }                     \
  TWIN_D double __fma_##R(double x, double y, double z) { return __nvvm_fma_##PTX##_d(x, y, z); }
TWIN_ROUNDED(rn, rn)
TWIN_ROUNDED(rz, rz)
TWIN_ROUNDED(ru, rp)
TWIN_ROUNDED(rd, rm)
#undef TWIN_ROUNDED

TWIN_D float __frsqrt_rn(float x) { return static_cast<float>(1.0 / __nvvm_sqrt_rn_d(x)); }
TWIN_D float __fdividef(float x, float y) { return x / y; }
TWIN_D float fdividef(float x, float y) { return x / y; }
TWIN_D double fdivide(double x, double y) { return x / y; }
TWIN_D float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
