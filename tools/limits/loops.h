// The loops that show what the machine can do, for one instruction set: included by the files that are
// compiled for it. No include guard and no inline functions: each file keeps its own.
#include <cstdint>

#include "machine_limits.h"

namespace {

using Vector = float __attribute__((vector_size(TORCHLIGHT_LIMITS_BYTES)));
constexpr long width = TORCHLIGHT_LIMITS_BYTES / 4;

// Enough independent sums to hide the latency of a multiply-add.
constexpr int chains = 12;

void fma(long steps) {
  Vector sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = Vector{} + static_cast<float>(i);
  const Vector factor = Vector{} + 0.999f, addend = Vector{} + 1e-3f;
  for (; steps > 0; --steps)
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = sums[i] * factor + addend;
  Vector total{};
  for (int i = 0; i < chains; ++i) total += sums[i];
  asm volatile("" : : TORCHLIGHT_LIMITS_REGISTER(total));
}

// n is a multiple of 64 everywhere.
void read(const float* a, long n) {
  Vector sums[4] = {};
  for (long i = 0; i < n; i += 4 * width)
#pragma GCC unroll 4
    for (long k = 0; k < 4; ++k) sums[k] += *reinterpret_cast<const Vector*>(a + i + k * width);
  asm volatile("" : : TORCHLIGHT_LIMITS_REGISTER(sums[0] + sums[1] + sums[2] + sums[3]));
}

void copy(float* out, const float* a, long n) {
  for (long i = 0; i < n; i += width)
    *reinterpret_cast<Vector*>(out + i) = *reinterpret_cast<const Vector*>(a + i);
}

void triad(float* out, const float* a, const float* b, long n) {
  const Vector factor = Vector{} + 3.0f;
  for (long i = 0; i < n; i += width)
    *reinterpret_cast<Vector*>(out + i) =
        *reinterpret_cast<const Vector*>(a + i) + factor * *reinterpret_cast<const Vector*>(b + i);
}

}  // namespace

namespace machine {
extern const Kernels TORCHLIGHT_LIMITS_NAME;
const Kernels TORCHLIGHT_LIMITS_NAME = {2.0 * chains * width, fma, read, copy, triad};
}  // namespace machine
