// No include guard: cuda_fp16.h and cuda_bf16.h each include it once, with these macros defined:
//   TWIN_H, TWIN_H2   the type and the pair        TWIN_RAW, TWIN_RAW2   their raw forms
//   TWIN_BITS(x)      float to the 16 bits         TWIN_VALUE(b)         16 bits to float
// Arithmetic goes by way of float, which rounds the same as one rounding would: 24 bits are at least twice
// the significand's and two more.

struct TWIN_RAW {
  unsigned short x;
};
struct __attribute__((aligned(4))) TWIN_RAW2 {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) TWIN_H {
  unsigned short __x;

  TWIN_H() = default;
  TWIN_MEMBER constexpr TWIN_H(const TWIN_RAW& raw) : __x(raw.x) {}
  TWIN_MEMBER TWIN_H(float x) : __x(TWIN_BITS(x)) {}
  TWIN_MEMBER TWIN_H(double x) : __x(TWIN_BITS(twin::odd_float(x))) {}
  TWIN_MEMBER TWIN_H(short x) : TWIN_H(static_cast<float>(x)) {}
  TWIN_MEMBER TWIN_H(unsigned short x) : TWIN_H(static_cast<float>(x)) {}
  TWIN_MEMBER TWIN_H(int x) : TWIN_H(static_cast<double>(x)) {}
  TWIN_MEMBER TWIN_H(unsigned int x) : TWIN_H(static_cast<double>(x)) {}
  TWIN_MEMBER TWIN_H(long x) : TWIN_H(static_cast<double>(x)) {}
  TWIN_MEMBER TWIN_H(unsigned long x) : TWIN_H(static_cast<double>(x)) {}
  TWIN_MEMBER TWIN_H(long long x) : TWIN_H(static_cast<double>(x)) {}
  TWIN_MEMBER TWIN_H(unsigned long long x) : TWIN_H(static_cast<double>(x)) {}

  TWIN_MEMBER operator float() const { return TWIN_VALUE(__x); }
  TWIN_MEMBER explicit operator double() const { return TWIN_VALUE(__x); }
  TWIN_MEMBER operator TWIN_RAW() const { return TWIN_RAW{__x}; }
  TWIN_MEMBER explicit operator bool() const { return (__x & 0x7fffu) != 0; }
  TWIN_MEMBER explicit operator int() const { return static_cast<int>(TWIN_VALUE(__x)); }
  TWIN_MEMBER explicit operator unsigned int() const {
    return static_cast<unsigned int>(TWIN_VALUE(__x));
  }
  TWIN_MEMBER explicit operator short() const { return static_cast<short>(TWIN_VALUE(__x)); }
  TWIN_MEMBER explicit operator unsigned short() const {
    return static_cast<unsigned short>(TWIN_VALUE(__x));
  }
  TWIN_MEMBER explicit operator long long() const { return static_cast<long long>(TWIN_VALUE(__x)); }
  TWIN_MEMBER explicit operator unsigned long long() const {
    return static_cast<unsigned long long>(TWIN_VALUE(__x));
  }
};

struct __attribute__((aligned(4))) TWIN_H2 {
  TWIN_H x, y;

  TWIN_H2() = default;
  TWIN_MEMBER constexpr TWIN_H2(const TWIN_H& a, const TWIN_H& b) : x(a), y(b) {}
  TWIN_MEMBER TWIN_H2(const TWIN_RAW2& raw) : x(TWIN_RAW{raw.x}), y(TWIN_RAW{raw.y}) {}
  TWIN_MEMBER operator TWIN_RAW2() const { return TWIN_RAW2{x.__x, y.__x}; }
};

// The operators and the intrinsics that say the same.
#define TWIN_X(OP, NAME, NAME2)                                                                      \
  TWIN_HD TWIN_H NAME(TWIN_H a, TWIN_H b) { return TWIN_H(TWIN_VALUE(a.__x) OP TWIN_VALUE(b.__x)); } \
  TWIN_HD TWIN_H2 NAME2(TWIN_H2 a, TWIN_H2 b) { return TWIN_H2(NAME(a.x, b.x), NAME(a.y, b.y)); }    \
  TWIN_HD TWIN_H operator OP(const TWIN_H& a, const TWIN_H& b) { return NAME(a, b); }                \
  TWIN_HD TWIN_H2 operator OP(const TWIN_H2& a, const TWIN_H2& b) { return NAME2(a, b); }            \
  TWIN_HD TWIN_H& operator OP##=(TWIN_H& a, const TWIN_H& b) { return a = NAME(a, b); }              \
  TWIN_HD TWIN_H2& operator OP##=(TWIN_H2& a, const TWIN_H2& b) { return a = NAME2(a, b); }
TWIN_X(+, __hadd, __hadd2)
TWIN_X(-, __hsub, __hsub2)
TWIN_X(*, __hmul, __hmul2)
TWIN_X(/, __hdiv, __h2div)
#undef TWIN_X

TWIN_HD TWIN_H __hadd_rn(TWIN_H a, TWIN_H b) { return __hadd(a, b); }
TWIN_HD TWIN_H __hsub_rn(TWIN_H a, TWIN_H b) { return __hsub(a, b); }
TWIN_HD TWIN_H __hmul_rn(TWIN_H a, TWIN_H b) { return __hmul(a, b); }
TWIN_HD TWIN_H2 __hadd2_rn(TWIN_H2 a, TWIN_H2 b) { return __hadd2(a, b); }
TWIN_HD TWIN_H2 __hsub2_rn(TWIN_H2 a, TWIN_H2 b) { return __hsub2(a, b); }
TWIN_HD TWIN_H2 __hmul2_rn(TWIN_H2 a, TWIN_H2 b) { return __hmul2(a, b); }

/// The product is exact in double, and so is what the sum loses short of a half's range.
TWIN_HD TWIN_H __hfma(TWIN_H a, TWIN_H b, TWIN_H c) {
  const double product =
      static_cast<double>(TWIN_VALUE(a.__x)) * static_cast<double>(TWIN_VALUE(b.__x));
  return TWIN_H(product + static_cast<double>(TWIN_VALUE(c.__x)));
}
TWIN_HD TWIN_H2 __hfma2(TWIN_H2 a, TWIN_H2 b, TWIN_H2 c) {
  return TWIN_H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

TWIN_HD TWIN_H __hneg(TWIN_H a) {
  return TWIN_H(TWIN_RAW{static_cast<unsigned short>(a.__x ^ 0x8000u)});
}
TWIN_HD TWIN_H __habs(TWIN_H a) {
  return TWIN_H(TWIN_RAW{static_cast<unsigned short>(a.__x & 0x7fffu)});
}
TWIN_HD TWIN_H2 __hneg2(TWIN_H2 a) { return TWIN_H2(__hneg(a.x), __hneg(a.y)); }
TWIN_HD TWIN_H2 __habs2(TWIN_H2 a) { return TWIN_H2(__habs(a.x), __habs(a.y)); }
TWIN_HD TWIN_H operator+(const TWIN_H& a) { return a; }
TWIN_HD TWIN_H operator-(const TWIN_H& a) { return __hneg(a); }
TWIN_HD TWIN_H2 operator+(const TWIN_H2& a) { return a; }
TWIN_HD TWIN_H2 operator-(const TWIN_H2& a) { return __hneg2(a); }
TWIN_HD TWIN_H& operator++(TWIN_H& a) { return a += TWIN_H(1.0f); }
TWIN_HD TWIN_H& operator--(TWIN_H& a) { return a -= TWIN_H(1.0f); }
TWIN_HD TWIN_H operator++(TWIN_H& a, int) {
  const TWIN_H old = a;
  ++a;
  return old;
}
TWIN_HD TWIN_H operator--(TWIN_H& a, int) {
  const TWIN_H old = a;
  --a;
  return old;
}

TWIN_HD bool __hisnan(TWIN_H a) { return TWIN_VALUE(a.__x) != TWIN_VALUE(a.__x); }
TWIN_HD int __hisinf(TWIN_H a) {
  const float x = TWIN_VALUE(a.__x);
  return x == __builtin_inff() ? 1 : (x == -__builtin_inff() ? -1 : 0);
}
TWIN_HD TWIN_H2 __hisnan2(TWIN_H2 a) {
  return TWIN_H2(TWIN_H(__hisnan(a.x) ? 1.0f : 0.0f), TWIN_H(__hisnan(a.y) ? 1.0f : 0.0f));
}

// Comparisons: of one (bool), of pairs into 1 and 0, and of pairs where both must hold. The unordered forms (u)
// are true where an operand is NaN.
#define TWIN_X(OP, NAME)                                                                        \
  TWIN_HD bool __h##NAME(TWIN_H a, TWIN_H b) { return TWIN_VALUE(a.__x) OP TWIN_VALUE(b.__x); } \
  TWIN_HD bool __h##NAME##u(TWIN_H a, TWIN_H b) {                                               \
    return __hisnan(a) || __hisnan(b) || __h##NAME(a, b);                                       \
  }                                                                                             \
  TWIN_HD TWIN_H2 __h##NAME##2(TWIN_H2 a, TWIN_H2 b) {                                          \
    return TWIN_H2(TWIN_H(__h##NAME(a.x, b.x) ? 1.0f : 0.0f),                                   \
                   TWIN_H(__h##NAME(a.y, b.y) ? 1.0f : 0.0f));                                  \
  }                                                                                             \
  TWIN_HD bool __hb##NAME##2(TWIN_H2 a, TWIN_H2 b) {                                            \
    return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                                          \
  }                                                                                             \
  TWIN_HD bool operator OP(const TWIN_H& a, const TWIN_H& b) { return __h##NAME(a, b); }        \
  TWIN_HD bool operator OP(const TWIN_H2& a, const TWIN_H2& b) { return __hb##NAME##2(a, b); }
TWIN_X(==, eq)
TWIN_X(!=, ne)
TWIN_X(<=, le)
TWIN_X(>=, ge)
TWIN_X(<, lt)
TWIN_X(>, gt)
#undef TWIN_X

TWIN_HD TWIN_H __hmax(TWIN_H a, TWIN_H b) {
  return TWIN_H(__builtin_fmaxf(TWIN_VALUE(a.__x), TWIN_VALUE(b.__x)));
}
TWIN_HD TWIN_H __hmin(TWIN_H a, TWIN_H b) {
  return TWIN_H(__builtin_fminf(TWIN_VALUE(a.__x), TWIN_VALUE(b.__x)));
}
TWIN_HD TWIN_H __hmax_nan(TWIN_H a, TWIN_H b) {
  return __hisnan(a) ? a : (__hisnan(b) ? b : __hmax(a, b));
}
TWIN_HD TWIN_H __hmin_nan(TWIN_H a, TWIN_H b) {
  return __hisnan(a) ? a : (__hisnan(b) ? b : __hmin(a, b));
}
TWIN_HD TWIN_H2 __hmax2(TWIN_H2 a, TWIN_H2 b) { return TWIN_H2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
TWIN_HD TWIN_H2 __hmin2(TWIN_H2 a, TWIN_H2 b) { return TWIN_H2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

#define TWIN_X(NAME, PLAIN, PAIR, PLAIN_PAIR)                       \
  TWIN_HD TWIN_H NAME(TWIN_H a, TWIN_H b) {                         \
    const float r = TWIN_VALUE(PLAIN(a, b).__x);                    \
    return TWIN_H(__builtin_fminf(__builtin_fmaxf(r, 0.0f), 1.0f)); \
  }                                                                 \
  TWIN_HD TWIN_H2 PAIR(TWIN_H2 a, TWIN_H2 b) { return TWIN_H2(NAME(a.x, b.x), NAME(a.y, b.y)); }
TWIN_X(__hadd_sat, __hadd, __hadd2_sat, __hadd2)
TWIN_X(__hsub_sat, __hsub, __hsub2_sat, __hsub2)
TWIN_X(__hmul_sat, __hmul, __hmul2_sat, __hmul2)
#undef TWIN_X
TWIN_HD TWIN_H __hfma_relu(TWIN_H a, TWIN_H b, TWIN_H c) {
  return __hmax(__hfma(a, b, c), TWIN_H(0.0f));
}
TWIN_HD TWIN_H2 __hfma2_relu(TWIN_H2 a, TWIN_H2 b, TWIN_H2 c) {
  return TWIN_H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}

TWIN_HD TWIN_H2 __lowhigh2highlow(TWIN_H2 a) { return TWIN_H2(a.y, a.x); }
TWIN_HD float __low2float(TWIN_H2 a) { return TWIN_VALUE(a.x.__x); }
TWIN_HD float __high2float(TWIN_H2 a) { return TWIN_VALUE(a.y.__x); }

#if defined(__CUDA__)
#include "small_float_device.h"
#endif
