#pragma once

// Loads and stores with cache hints. The read-only path is an instruction of its own; hints change no result, so
// the others are plain accesses.

#define TWIN_LDG(T, CODE, WORD) \
  TWIN_D T __ldg(const T* p) { return static_cast<T>(__nvvm_ldg_##CODE((const WORD*)p)); }
TWIN_LDG(char, c, char)
TWIN_LDG(signed char, c, char)
TWIN_LDG(short, s, short)
TWIN_LDG(int, i, int)
TWIN_LDG(long, l, long)
TWIN_LDG(long long, ll, long long)
TWIN_LDG(unsigned char, uc, unsigned char)
TWIN_LDG(unsigned short, us, unsigned short)
TWIN_LDG(unsigned int, ui, unsigned int)
TWIN_LDG(unsigned long, ul, unsigned long)
TWIN_LDG(unsigned long long, ull, unsigned long long)
TWIN_LDG(float, f, float)
TWIN_LDG(double, d, double)
#undef TWIN_LDG

#define TWIN_LDG_VECTOR(NAME, N, T, CODE)                                      \
  TWIN_D NAME##N __ldg(const NAME##N* p) {                                     \
    typedef T Words __attribute__((ext_vector_type(N)));                       \
    return __builtin_bit_cast(NAME##N, __nvvm_ldg_##CODE##N((const Words*)p)); \
  }
TWIN_LDG_VECTOR(char, 2, char, c)
TWIN_LDG_VECTOR(char, 4, char, c)
TWIN_LDG_VECTOR(short, 2, short, s)
TWIN_LDG_VECTOR(short, 4, short, s)
TWIN_LDG_VECTOR(int, 2, int, i)
TWIN_LDG_VECTOR(int, 4, int, i)
TWIN_LDG_VECTOR(longlong, 2, long long, ll)
TWIN_LDG_VECTOR(uchar, 2, unsigned char, uc)
TWIN_LDG_VECTOR(uchar, 4, unsigned char, uc)
TWIN_LDG_VECTOR(ushort, 2, unsigned short, us)
TWIN_LDG_VECTOR(ushort, 4, unsigned short, us)
TWIN_LDG_VECTOR(uint, 2, unsigned int, ui)
TWIN_LDG_VECTOR(uint, 4, unsigned int, ui)
TWIN_LDG_VECTOR(ulonglong, 2, unsigned long long, ull)
TWIN_LDG_VECTOR(float, 2, float, f)
TWIN_LDG_VECTOR(float, 4, float, f)
TWIN_LDG_VECTOR(double, 2, double, d)
#undef TWIN_LDG_VECTOR

template <class T> TWIN_D T __ldca(const T* p) { return *p; }
template <class T> TWIN_D T __ldcg(const T* p) { return *p; }
template <class T> TWIN_D T __ldcs(const T* p) { return *p; }
template <class T> TWIN_D T __ldlu(const T* p) { return *p; }
/// Reads memory anew each time.
template <class T> TWIN_D T __ldcv(const T* p) {
  asm volatile("" ::: "memory");
  return *p;
}
template <class T> TWIN_D void __stwb(T* p, T value) { *p = value; }
template <class T> TWIN_D void __stcg(T* p, T value) { *p = value; }
template <class T> TWIN_D void __stcs(T* p, T value) { *p = value; }
template <class T> TWIN_D void __stwt(T* p, T value) {
  *p = value;
  asm volatile("" ::: "memory");
}
