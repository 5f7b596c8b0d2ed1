#pragma once

#include "kernel.cuh"

/// Philox4x32-10, the counter-based generator of ext/random.h.
namespace kernels {

struct PhiloxBlock {
  uint32_t word[4];
};

/// Block `number` of the stream of this seed.
TL_DEVICE PhiloxBlock philox(uint64_t seed, uint64_t number) {
  uint32_t x0 = static_cast<uint32_t>(number), x1 = static_cast<uint32_t>(number >> 32), x2 = 0, x3 = 0;
  uint32_t low_key = static_cast<uint32_t>(seed), high_key = static_cast<uint32_t>(seed >> 32);
  TL_UNROLL for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53u} * x0, b = uint64_t{0xcd9e8d57u} * x2;
    x0 = static_cast<uint32_t>(b >> 32) ^ x1 ^ low_key;
    x1 = static_cast<uint32_t>(b);
    x2 = static_cast<uint32_t>(a >> 32) ^ x3 ^ high_key;
    x3 = static_cast<uint32_t>(a);
    low_key += 0x9e3779b9u;
    high_key += 0xbb67ae85u;
  }
  return {{x0, x1, x2, x3}};
}

}  // namespace kernels
