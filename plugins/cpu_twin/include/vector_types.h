#pragma once

#include "host_defines.h"

// The short vectors, aligned as the CUDA guide's table says: pairs and quads to their size, 16 bytes at most
// (the names with _16a and _32a say it themselves), triples to one element.

#define TWIN_VECTORS(NAME, T, ALIGN2, ALIGN4)       \
  struct NAME##1 {                                  \
    T x;                                            \
  };                                                \
  struct __attribute__((aligned(ALIGN2))) NAME##2 { \
    T x, y;                                         \
  };                                                \
  struct NAME##3 {                                  \
    T x, y, z;                                      \
  };                                                \
  struct __attribute__((aligned(ALIGN4))) NAME##4 { \
    T x, y, z, w;                                   \
  };                                                \
  typedef struct NAME##1 NAME##1;                   \
  typedef struct NAME##2 NAME##2;                   \
  typedef struct NAME##3 NAME##3;                   \
  typedef struct NAME##4 NAME##4;

TWIN_VECTORS(char, signed char, 2, 4)
TWIN_VECTORS(uchar, unsigned char, 2, 4)
TWIN_VECTORS(short, short, 4, 8)
TWIN_VECTORS(ushort, unsigned short, 4, 8)
TWIN_VECTORS(int, int, 8, 16)
TWIN_VECTORS(uint, unsigned int, 8, 16)
TWIN_VECTORS(long, long, 16, 16)
TWIN_VECTORS(ulong, unsigned long, 16, 16)
TWIN_VECTORS(longlong, long long, 16, 16)
TWIN_VECTORS(ulonglong, unsigned long long, 16, 16)
TWIN_VECTORS(float, float, 8, 16)
TWIN_VECTORS(double, double, 16, 16)
#undef TWIN_VECTORS

#define TWIN_WIDE(NAME, T)                          \
  struct __attribute__((aligned(16))) NAME##4_16a { \
    T x, y, z, w;                                   \
  };                                                \
  struct __attribute__((aligned(32))) NAME##4_32a { \
    T x, y, z, w;                                   \
  };                                                \
  typedef struct NAME##4_16a NAME##4_16a;           \
  typedef struct NAME##4_32a NAME##4_32a;

TWIN_WIDE(long, long)
TWIN_WIDE(ulong, unsigned long)
TWIN_WIDE(longlong, long long)
TWIN_WIDE(ulonglong, unsigned long long)
TWIN_WIDE(double, double)
#undef TWIN_WIDE

/// The size of a grid or block. In C it is a plain struct.
struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  TWIN_MEMBER constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  TWIN_MEMBER constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  TWIN_MEMBER constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
