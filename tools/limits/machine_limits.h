#pragma once

/// Loops that reach what a core can do at most, for the instruction set that it has: what other speeds are
/// compared with.
namespace machine {

/// Pointers are aligned to 64 bytes, n is a multiple of 64.
struct Kernels {
  double operations;  ///< of one step of fma
  void (*fma)(long steps);
  void (*read)(const float* a, long n);
  void (*copy)(float* out, const float* a, long n);
  void (*triad)(float* out, const float* a, const float* b, long n);
};

const Kernels& kernels();

}  // namespace machine
