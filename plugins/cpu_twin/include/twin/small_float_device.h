// No include guard: a part of small_float.h, for device code: math, shuffles, atomics.

#define TWIN_X(NAME, FLOAT)                                                    \
  TWIN_D TWIN_H h##NAME(TWIN_H a) { return TWIN_H(FLOAT(TWIN_VALUE(a.__x))); } \
  TWIN_D TWIN_H2 h2##NAME(TWIN_H2 a) { return TWIN_H2(h##NAME(a.x), h##NAME(a.y)); }
TWIN_X(exp, expf)
TWIN_X(exp2, exp2f)
TWIN_X(exp10, exp10f)
TWIN_X(log, logf)
TWIN_X(log2, log2f)
TWIN_X(log10, log10f)
TWIN_X(sqrt, sqrtf)
TWIN_X(rsqrt, rsqrtf)
TWIN_X(rcp, __frcp_rn)
TWIN_X(sin, sinf)
TWIN_X(cos, cosf)
TWIN_X(tanh, tanhf)
TWIN_X(ceil, ceilf)
TWIN_X(floor, floorf)
TWIN_X(trunc, truncf)
TWIN_X(rint, rintf)
#undef TWIN_X
TWIN_D TWIN_H htanh_approx(TWIN_H a) { return htanh(a); }
TWIN_D TWIN_H2 h2tanh_approx(TWIN_H2 a) { return h2tanh(a); }

#define TWIN_X(NAME, THIRD)                                                                      \
  TWIN_D TWIN_H NAME(unsigned int mask, TWIN_H value, THIRD lane, int width = 32) {              \
    const unsigned int word = NAME(mask, static_cast<unsigned int>(value.__x), lane, width);     \
    return TWIN_H(TWIN_RAW{static_cast<unsigned short>(word)});                                  \
  }                                                                                              \
  TWIN_D TWIN_H2 NAME(unsigned int mask, TWIN_H2 value, THIRD lane, int width = 32) {            \
    return __builtin_bit_cast(TWIN_H2,                                                           \
                              NAME(mask, __builtin_bit_cast(unsigned int, value), lane, width)); \
  }
TWIN_X(__shfl_sync, int)
TWIN_X(__shfl_up_sync, unsigned int)
TWIN_X(__shfl_down_sync, unsigned int)
TWIN_X(__shfl_xor_sync, int)
#undef TWIN_X

TWIN_D TWIN_H2 atomicAdd(TWIN_H2* address, TWIN_H2 value) {
  unsigned int* word = reinterpret_cast<unsigned int*>(address);
  unsigned int seen = atomicCAS(word, 0u, 0u), old;  // an atomic read
  do {
    old = seen;
    const TWIN_H2 sum = __hadd2(__builtin_bit_cast(TWIN_H2, old), value);
    seen = atomicCAS(word, old, __builtin_bit_cast(unsigned int, sum));
  } while (seen != old);
  return __builtin_bit_cast(TWIN_H2, old);
}
/// On the half of the 32-bit word that holds it.
TWIN_D TWIN_H atomicAdd(TWIN_H* address, TWIN_H value) {
  const unsigned long place = reinterpret_cast<unsigned long>(address);
  unsigned int* word = reinterpret_cast<unsigned int*>(place & ~3ul);
  const unsigned int shift = static_cast<unsigned int>(place & 2ul) * 8;
  unsigned int seen = atomicCAS(word, 0u, 0u), old;  // an atomic read
  do {
    old = seen;
    const TWIN_H sum = __hadd(TWIN_H(TWIN_RAW{static_cast<unsigned short>(old >> shift)}), value);
    const unsigned int replaced =
        (old & ~(0xffffu << shift)) | (static_cast<unsigned int>(sum.__x) << shift);
    seen = atomicCAS(word, old, replaced);
  } while (seen != old);
  return TWIN_H(TWIN_RAW{static_cast<unsigned short>(old >> shift)});
}

TWIN_D TWIN_H __ldg(const TWIN_H* p) {
  return TWIN_H(TWIN_RAW{__ldg(reinterpret_cast<const unsigned short*>(p))});
}
TWIN_D TWIN_H2 __ldg(const TWIN_H2* p) {
  return __builtin_bit_cast(TWIN_H2, __ldg(reinterpret_cast<const unsigned int*>(p)));
}
