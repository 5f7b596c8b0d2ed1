#pragma once

// Atomic functions. NAME, NAME_block and NAME_system differ in scope alone.

#define TWIN_ATOMIC_1(SUFFIX, SCOPE, NAME, OP, T, CODE, WORD)                            \
  TWIN_D T NAME##SUFFIX(T* address, T value) {                                           \
    return static_cast<T>(                                                               \
        __nvvm_atom_##SCOPE##OP##_gen_##CODE((WORD*)address, static_cast<WORD>(value))); \
  }
#define TWIN_ATOMIC(NAME, OP, T, CODE, WORD)           \
  TWIN_ATOMIC_1(, , NAME, OP, T, CODE, WORD)           \
  TWIN_ATOMIC_1(_block, cta_, NAME, OP, T, CODE, WORD) \
  TWIN_ATOMIC_1(_system, sys_, NAME, OP, T, CODE, WORD)

TWIN_ATOMIC(atomicAdd, add, int, i, int)
TWIN_ATOMIC(atomicAdd, add, unsigned int, i, int)
TWIN_ATOMIC(atomicAdd, add, unsigned long long, ll, long long)
TWIN_ATOMIC(atomicAdd, add, unsigned long, ll, long long)
TWIN_ATOMIC(atomicAdd, add, float, f, float)
TWIN_ATOMIC(atomicAdd, add, double, d, double)
TWIN_ATOMIC(atomicExch, xchg, int, i, int)
TWIN_ATOMIC(atomicExch, xchg, unsigned int, i, int)
TWIN_ATOMIC(atomicExch, xchg, unsigned long long, ll, long long)
TWIN_ATOMIC(atomicExch, xchg, unsigned long, ll, long long)
TWIN_ATOMIC(atomicMin, min, int, i, int)
TWIN_ATOMIC(atomicMin, min, unsigned int, ui, unsigned int)
TWIN_ATOMIC(atomicMin, min, long long, ll, long long)
TWIN_ATOMIC(atomicMin, min, unsigned long long, ull, unsigned long long)
TWIN_ATOMIC(atomicMax, max, int, i, int)
TWIN_ATOMIC(atomicMax, max, unsigned int, ui, unsigned int)
TWIN_ATOMIC(atomicMax, max, long long, ll, long long)
TWIN_ATOMIC(atomicMax, max, unsigned long long, ull, unsigned long long)
TWIN_ATOMIC(atomicAnd, and, int, i, int)
TWIN_ATOMIC(atomicAnd, and, unsigned int, i, int)
TWIN_ATOMIC(atomicAnd, and, unsigned long long, ll, long long)
TWIN_ATOMIC(atomicOr, or, int, i, int)
TWIN_ATOMIC(atomicOr, or, unsigned int, i, int)
TWIN_ATOMIC(atomicOr, or, unsigned long long, ll, long long)
TWIN_ATOMIC(atomicXor, xor, int, i, int)
TWIN_ATOMIC(atomicXor, xor, unsigned int, i, int)
TWIN_ATOMIC(atomicXor, xor, unsigned long long, ll, long long)
TWIN_ATOMIC(atomicInc, inc, unsigned int, ui, unsigned int)
TWIN_ATOMIC(atomicDec, dec, unsigned int, ui, unsigned int)
#undef TWIN_ATOMIC
#undef TWIN_ATOMIC_1

#define TWIN_ATOMIC_SCOPE(SUFFIX, SCOPE)                                                               \
  TWIN_D int atomicSub##SUFFIX(int* address, int value) {                                              \
    return atomicAdd##SUFFIX(address, static_cast<int>(0u - static_cast<unsigned int>(value)));        \
  }                                                                                                    \
  TWIN_D unsigned int atomicSub##SUFFIX(unsigned int* address, unsigned int value) {                   \
    return atomicAdd##SUFFIX(address, 0u - value);                                                     \
  }                                                                                                    \
  TWIN_D float atomicExch##SUFFIX(float* address, float value) {                                       \
    return __int_as_float(atomicExch##SUFFIX((int*)address, __float_as_int(value)));                   \
  }                                                                                                    \
  TWIN_D int atomicCAS##SUFFIX(int* address, int compare, int value) {                                 \
    return __nvvm_atom_##SCOPE##cas_gen_i(address, compare, value);                                    \
  }                                                                                                    \
  TWIN_D unsigned int atomicCAS##SUFFIX(unsigned int* address, unsigned int compare,                   \
                                        unsigned int value) {                                          \
    return __nvvm_atom_##SCOPE##cas_gen_i((int*)address, static_cast<int>(compare),                    \
                                          static_cast<int>(value));                                    \
  }                                                                                                    \
  TWIN_D unsigned long long atomicCAS##SUFFIX(unsigned long long* address, unsigned long long compare, \
                                              unsigned long long value) {                              \
    return __nvvm_atom_##SCOPE##cas_gen_ll((long long*)address, static_cast<long long>(compare),       \
                                           static_cast<long long>(value));                             \
  }                                                                                                    \
  TWIN_D unsigned long atomicCAS##SUFFIX(unsigned long* address, unsigned long compare,                \
                                         unsigned long value) {                                        \
    return __nvvm_atom_##SCOPE##cas_gen_ll((long long*)address, static_cast<long long>(compare),       \
                                           static_cast<long long>(value));                             \
  }

TWIN_ATOMIC_SCOPE(, )
TWIN_ATOMIC_SCOPE(_block, cta_)
TWIN_ATOMIC_SCOPE(_system, sys_)
#undef TWIN_ATOMIC_SCOPE

TWIN_D unsigned short atomicCAS(unsigned short* address, unsigned short compare, unsigned short value) {
  unsigned short old;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(old)
               : "l"(address), "h"(compare), "h"(value)
               : "memory");
  return old;
}
