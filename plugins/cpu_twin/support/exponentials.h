#pragma once

#include "vectors.h"

namespace twin {

constexpr double kLog2E = 1.4426950408889634074;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLog2Of10 = 3.3219280948873623479;
constexpr double kLog10Of2 = 0.30102999566398119521;

/// 2^x for results in float's range: the double is infinite or denormal only after rounding to float.
inline F64 exp2(F64 x) {
  x = select(x > 1000.0, splat(1000.0), x);  // NaN stays, as both comparisons are false
  x = select(x < -1000.0, splat(-1000.0), x);
  const F64 whole = round(x);
  const F64 r = (x - whole) * kLn2;
  // e^r, |r| <= ln(2)/2, by Taylor.
  F64 p = splat(1.0 / 40320);
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * value((I64)(((U64)integer(whole) + 1023) << 52));
}
inline F64 exp(F64 x) { return exp2(x * kLog2E); }

/// A positive, finite, non-zero x, split into 2^exponent and a factor around 1.
struct Split {
  F64 exponent, factor;
};
inline Split split(F64 x) {
  const I64 sqrt_half = bits(splat(0x1.6a09e667f3bcdp-1));
  const I64 shifted = minus(bits(x), sqrt_half);
  const I64 exponent = shifted >> 52;  // arithmetic
  return {__builtin_convertvector(exponent, F64), value(minus(bits(x), exponent << 52))};
}

/// The natural logarithm of a factor in [sqrt(1/2), sqrt(2)), by 2 atanh of (m - 1) / (m + 1).
inline F64 log_of_factor(F64 m) {
  const F64 s = (m - 1.0) / (m + 1.0);
  const F64 s2 = s * s;
  F64 p = splat(1.0 / 17);
  p = p * s2 + 1.0 / 15;
  p = p * s2 + 1.0 / 13;
  p = p * s2 + 1.0 / 11;
  p = p * s2 + 1.0 / 9;
  p = p * s2 + 1.0 / 7;
  p = p * s2 + 1.0 / 5;
  p = p * s2 + 1.0 / 3;
  p = p * s2 + 1.0;
  return 2.0 * s * p;
}

/// exponent * a + log(factor) * b, with what a logarithm is at zero, below and at infinity.
inline F64 logarithm(F64 x, double a, double b) {
  const Split parts = split(x);
  F64 r = parts.exponent * a + log_of_factor(parts.factor) * b;
  r = select(x == 0.0, splat(-__builtin_inf()), r);
  r = select(x == __builtin_inf(), x, r);
  return select((I64)(x < 0.0) | (I64)(x != x), splat(__builtin_nan("")), r);
}
inline F64 log(F64 x) { return logarithm(x, kLn2, 1.0); }
inline F64 log2(F64 x) { return logarithm(x, 1.0, kLog2E); }
inline F64 log10(F64 x) { return logarithm(x, kLog10Of2, 1.0 / 2.30258509299404568402); }

/// 1 - 2 / (e^2x + 1), and x - x^3/3 where that would cancel.
inline F64 tanh(F64 x) {
  const F64 a = abs(x);
  const F64 e = exp(2.0 * select(a > 20.0, splat(20.0), a));
  const F64 small = a - a * a * a * (1.0 / 3);
  return with_sign_of(select(a < 0x1p-11, small, 1.0 - 2.0 / (e + 1.0)), x);
}

}  // namespace twin
