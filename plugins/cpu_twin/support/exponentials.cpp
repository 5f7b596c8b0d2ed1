// Exponentials, logarithms, tanh and power of floats.

#include "exponentials.h"

#include <math.h>

using namespace twin;

extern "C" {

void __twin_expf_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return exp(x); });
}
void __twin_exp2f_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return exp2(x); });
}
void __twin_exp10f_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return exp2(x * kLog2Of10); });
}
void __twin_logf_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return log(x); });
}
void __twin_log2f_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return log2(x); });
}
void __twin_log10f_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return log10(x); });
}
void __twin_tanhf_32(float* out, const float* a) {
  map(out, a, [](F64 x) { return tanh(x); });
}

// What PTX calls approximations.
void __twin_ex2_approx_32(float* out, const float* a) { __twin_exp2f_32(out, a); }
void __twin_lg2_approx_32(float* out, const float* a) { __twin_log2f_32(out, a); }
void __twin_tanh_approx_32(float* out, const float* a) { __twin_tanhf_32(out, a); }

/// x^y as 2^(y log2 x) for positive finite x and finite y; the C library has the other cases, lane by lane.
void __twin_powf_32(float* out, const float* a, const float* b) {
  float x_copy[kWarp], y_copy[kWarp];
  memcpy(x_copy, a, sizeof x_copy);
  memcpy(y_copy, b, sizeof y_copy);
  each_part([&](int i) {
    const F64 x = load(x_copy + i), y = load(y_copy + i);
    const Split parts = split(abs(x));
    const F64 log2_of_x = parts.exponent + log_of_factor(parts.factor) * kLog2E;
    store(out + i, exp2(y * log2_of_x));
  });
  const auto plain = [&](int i) {
    return static_cast<int>(x_copy[i] > 0.0f) & static_cast<int>(x_copy[i] < INFINITY) &
           static_cast<int>(fabsf(y_copy[i]) < INFINITY);
  };
  int all_plain = 1;
  for (int i = 0; i < kWarp; ++i) all_plain &= plain(i);
  for (int i = 0; all_plain == 0 && i < kWarp; ++i) {
    if (plain(i) == 0) out[i] = powf(x_copy[i], y_copy[i]);
  }
}

}  // extern "C"
