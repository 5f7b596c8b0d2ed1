#pragma once

// What each of these programs ends with, and how it calls the runtime.

#include <cstdio>
#include <cstdlib>

#define CHECK_CUDA(call)                                                                      \
  do {                                                                                        \
    cudaError_t status = (call);                                                              \
    if (status != cudaSuccess) {                                                              \
      printf("FAIL: %s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

static inline bool differs(double got, double wanted, double tolerance) {
  const double error = got > wanted ? got - wanted : wanted - got;
  const double size = wanted > 0 ? wanted : -wanted;
  return !(error <= tolerance * (1 + size));
}

static inline int verdict(int wrong) {
  if (wrong == 0) {
    printf("PASS\n");
  } else {
    printf("FAIL: %d wrong\n", wrong);
  }
  return wrong != 0;
}

template <class... Pointers> void free_all(Pointers... pointers) {
  const cudaError_t each[] = {cudaFree(pointers)...};
  for (cudaError_t status : each) CHECK_CUDA(status);
}

/// Numbers in [-1, 1) that are the same everywhere.
struct Noise {
  unsigned int state;
  explicit Noise(unsigned int seed) : state(seed) {}
  float next() {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
};
