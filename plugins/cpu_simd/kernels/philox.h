#pragma once

#include <cstdint>

#include "kernels/simd.h"

/// Philox4x32-10, sixteen blocks side by side.
namespace cpu_simd::TL_ISA {

constexpr int64_t philox_blocks = 16;

/// word[w][l] is word w of block l.
struct PhiloxWords {
  alignas(64) uint32_t word[4][philox_blocks];
};

/// Blocks first, first + 1, … of the stream of this seed: the counter's low half is the block's number.
inline void philox(uint64_t seed, uint64_t first, PhiloxWords& x) noexcept {
  for (int64_t l = 0; l < philox_blocks; ++l) {
    const uint64_t number = first + static_cast<uint64_t>(l);
    x.word[0][l] = static_cast<uint32_t>(number);
    x.word[1][l] = static_cast<uint32_t>(number >> 32);
    x.word[2][l] = x.word[3][l] = 0;
  }
  uint32_t low_key = static_cast<uint32_t>(seed), high_key = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int64_t l = 0; l < philox_blocks; ++l) {
      const uint64_t a = uint64_t{0xd2511f53} * x.word[0][l], b = uint64_t{0xcd9e8d57} * x.word[2][l];
      x.word[0][l] = static_cast<uint32_t>(b >> 32) ^ x.word[1][l] ^ low_key;
      x.word[1][l] = static_cast<uint32_t>(b);
      x.word[2][l] = static_cast<uint32_t>(a >> 32) ^ x.word[3][l] ^ high_key;
      x.word[3][l] = static_cast<uint32_t>(a);
    }
    low_key += 0x9e3779b9;
    high_key += 0xbb67ae85;
  }
}

/// Element i of an output of 4-byte words, or of pairs of them (the low one first).
CPU_SIMD_INLINE uint32_t short_word(const PhiloxWords& x, int64_t i) noexcept {
  return x.word[i % 4][i / 4];
}
CPU_SIMD_INLINE uint64_t long_word(const PhiloxWords& x, int64_t i) noexcept {
  const int64_t w = i % 2 * 2;
  return x.word[w][i / 2] | uint64_t{x.word[w + 1][i / 2]} << 32;
}

}  // namespace cpu_simd::TL_ISA
