// Random kernels: nested loops with trip counts that differ between lanes, breaks, early returns, switches, short
// circuits, calls of functions that recurse or are found by pointers, barriers and shuffles where all lanes are.
#pragma once

#include <cstdint>
#include <string>

namespace divergence {

constexpr int threads = 96, blocks = 2, words = threads * blocks;

/// A file of kernels "k0" … of (const unsigned* in, unsigned* out, unsigned n), in blocks of `threads`.
std::string source(uint64_t seed, int kernels);

}  // namespace divergence
