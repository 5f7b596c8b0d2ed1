#pragma once

// Eight lanes at a time: vector extensions that g++ and clang share, split by the compiler into what the machine
// has. Single-precision functions compute in double, where a plain polynomial is exact enough to round once.

#include <stdint.h>
#include <string.h>

// Vectors pass between inlined functions alone, so no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace twin {

constexpr int kWarp = 32;
constexpr int kLanes = 8;

typedef float F32 __attribute__((vector_size(kLanes * 4)));
typedef int32_t I32 __attribute__((vector_size(kLanes * 4)));
typedef double F64 __attribute__((vector_size(kLanes * 8)));
typedef int64_t I64 __attribute__((vector_size(kLanes * 8)));

inline F64 load(const float* p) {
  F32 v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, F64);
}
inline void store(float* p, F64 v) {
  const F32 rounded = __builtin_convertvector(v, F32);
  memcpy(p, &rounded, sizeof rounded);
}

typedef uint64_t U64 __attribute__((vector_size(kLanes * 8)));

/// a - b, which wraps around: the bits of NaN and infinity are numbers like any other here.
inline I64 minus(I64 a, I64 b) { return (I64)((U64)a - (U64)b); }
inline I64 bits(F64 v) { return (I64)v; }
inline F64 value(I64 v) { return (F64)v; }
inline F64 splat(double x) { return F64{x, x, x, x, x, x, x, x}; }

/// `mask` is all ones or all zeros in each lane, as comparisons give it.
inline F64 select(I64 mask, F64 yes, F64 no) { return value((mask & bits(yes)) | (~mask & bits(no))); }
inline F64 abs(F64 x) { return value(bits(x) & INT64_MAX); }
inline F64 with_sign_of(F64 magnitude, F64 sign) {
  return value(bits(magnitude) | (bits(sign) & INT64_MIN));
}

/// Adding and taking away 1.5 * 2^52 rounds to the nearest integer; its low bits are the integer meanwhile.
constexpr double kRounder = 0x1.8p52;
inline F64 round(F64 x) { return (x + kRounder) - kRounder; }
inline I64 integer(F64 x) { return minus(bits(x + kRounder), bits(splat(kRounder))); }

template <class Function> inline void each_part(Function function) {
  for (int i = 0; i < kWarp; i += kLanes) function(i);
}
/// out = f(a) over a warp.
template <class Function> inline void map(float* out, const float* a, Function f) {
  each_part([&](int i) { store(out + i, f(load(a + i))); });
}

}  // namespace twin
