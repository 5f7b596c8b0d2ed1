#pragma once

#include "kernels/simd.h"

namespace cpu_simd::TL_ISA {

/// A sum whose error doesn't grow with the number of terms: float32 adds up in float64, float64 with the
/// rounding error carried along.
template <class T> struct Total;

template <> struct Total<float> {
  double value = 0;

  CPU_SIMD_INLINE void add(double x) noexcept { value += x; }
  CPU_SIMD_INLINE void add(const Total& other) noexcept { value += other.value; }
  CPU_SIMD_INLINE double wide() const noexcept { return value; }
  CPU_SIMD_INLINE float result() const noexcept { return static_cast<float>(value); }
};

template <> struct Total<double> {
  double value = 0, error = 0;

  CPU_SIMD_INLINE void add(double x) noexcept {
    const double sum = value + x, part = sum - value;
    const double lost = (value - (sum - part)) + (x - part);
    error += lost - lost == 0 ? lost : 0;  // beside infinities there is nothing to carry
    value = sum;
  }
  CPU_SIMD_INLINE void add(const Total& other) noexcept {
    add(other.value);
    error += other.error;
  }
  CPU_SIMD_INLINE double wide() const noexcept { return value + error; }
  CPU_SIMD_INLINE double result() const noexcept { return wide(); }
};

}  // namespace cpu_simd::TL_ISA
