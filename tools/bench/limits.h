#pragma once

namespace bench {

/// What limits.cpp measures, by instruction set. Pointers are aligned to 64 bytes, n is a multiple of 64.
struct LimitKernels {
  double operations;  ///< of one step of fma
  void (*fma)(long steps);
  void (*read)(const float* a, long n);
  void (*copy)(float* out, const float* a, long n);
  void (*triad)(float* out, const float* a, const float* b, long n);
};

}  // namespace bench
