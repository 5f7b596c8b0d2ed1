#pragma once

#include "vector_types.h"

#define TWIN_MAKE(NAME, T)                             \
  TWIN_HD NAME##1 make_##NAME##1(T x) {                \
    NAME##1 v = {x};                                   \
    return v;                                          \
  }                                                    \
  TWIN_HD NAME##2 make_##NAME##2(T x, T y) {           \
    NAME##2 v = {x, y};                                \
    return v;                                          \
  }                                                    \
  TWIN_HD NAME##3 make_##NAME##3(T x, T y, T z) {      \
    NAME##3 v = {x, y, z};                             \
    return v;                                          \
  }                                                    \
  TWIN_HD NAME##4 make_##NAME##4(T x, T y, T z, T w) { \
    NAME##4 v = {x, y, z, w};                          \
    return v;                                          \
  }

TWIN_MAKE(char, signed char)
TWIN_MAKE(uchar, unsigned char)
TWIN_MAKE(short, short)
TWIN_MAKE(ushort, unsigned short)
TWIN_MAKE(int, int)
TWIN_MAKE(uint, unsigned int)
TWIN_MAKE(long, long)
TWIN_MAKE(ulong, unsigned long)
TWIN_MAKE(longlong, long long)
TWIN_MAKE(ulonglong, unsigned long long)
TWIN_MAKE(float, float)
TWIN_MAKE(double, double)
#undef TWIN_MAKE
