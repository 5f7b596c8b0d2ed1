// Sine and cosine of floats. Up to 2^20 the argument is reduced by two parts of pi/2; beyond, the C library does
// it lane by lane.

#include <math.h>

#include "vectors.h"

namespace {

using namespace twin;

constexpr float kLimit = 0x1p20f;
constexpr double kHalfPiHigh = 0x1.921fb544p0;  // 33 bits, so that multiples up to 2^20 are exact
constexpr double kHalfPiLow = 0x1.0b4611a626331p-34;

F64 sine_near_zero(F64 r) {
  const F64 r2 = r * r;
  F64 p = splat(-1.0 / 39916800);
  p = p * r2 + 1.0 / 362880;
  p = p * r2 - 1.0 / 5040;
  p = p * r2 + 1.0 / 120;
  p = p * r2 - 1.0 / 6;
  return r + r * r2 * p;
}

F64 cosine_near_zero(F64 r) {
  const F64 r2 = r * r;
  F64 p = splat(1.0 / 479001600);
  p = p * r2 - 1.0 / 3628800;
  p = p * r2 + 1.0 / 40320;
  p = p * r2 - 1.0 / 720;
  p = p * r2 + 1.0 / 24;
  p = p * r2 - 0.5;
  return 1.0 + r2 * p;
}

/// sin(x + quarter_turns * pi/2).
F64 sine(F64 x, int64_t quarter_turns) {
  const F64 turns = round(x * 0.63661977236758134308);
  const F64 r = (x - turns * kHalfPiHigh) - turns * kHalfPiLow;
  const I64 quadrant = (I64)((U64)integer(turns) + (uint64_t)quarter_turns);
  const I64 odd = minus(I64{}, quadrant & 1);
  const F64 magnitude = select(odd, cosine_near_zero(r), sine_near_zero(r));
  const F64 signed_result = value(bits(magnitude) ^ ((quadrant & 2) << 62));
  return select((I64)(x == 0.0) & ~odd, x, signed_result);  // -0 stays
}

template <float (*library)(float)> void sine_32(float* out, const float* a, int64_t quarter_turns) {
  float copy[kWarp];
  memcpy(copy, a, sizeof copy);
  each_part([&](int i) { store(out + i, sine(load(copy + i), quarter_turns)); });
  int large = 0;
  for (int i = 0; i < kWarp; ++i) large |= !(fabsf(copy[i]) <= kLimit);
  for (int i = 0; large != 0 && i < kWarp; ++i) {
    if (!(fabsf(copy[i]) <= kLimit)) out[i] = library(copy[i]);
  }
}

}  // namespace

extern "C" {

void __twin_sinf_32(float* out, const float* a) { sine_32<sinf>(out, a, 0); }
void __twin_cosf_32(float* out, const float* a) { sine_32<cosf>(out, a, 1); }
void __twin_sin_approx_32(float* out, const float* a) { __twin_sinf_32(out, a); }
void __twin_cos_approx_32(float* out, const float* a) { __twin_cosf_32(out, a); }

}  // extern "C"
