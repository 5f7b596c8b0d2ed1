#pragma once

#include "kernels/set.h"

/// Elements moved between a strided place and a dense one, any item of 1, 2, 4 or 8 bytes. Strides and
/// pitches are in bytes.
namespace cpu_simd::TL_ISA {

/// A matrix anywhere in memory.
struct Strided {
  char* data;
  int64_t row;     ///< from one row to the next
  int64_t column;  ///< from one column to the next
};

/// target[r * pitch + c * item] = source(r, c). Transposed sources are read in blocks of whole lines.
void pack(char* target, int64_t pitch, const Strided& source, int64_t rows, int64_t columns,
          int64_t item) noexcept;

/// target(r, c) = source[r * pitch + c * item].
void unpack(const Strided& target, const char* source, int64_t pitch, int64_t rows, int64_t columns,
            int64_t item) noexcept;

/// memcpy past the caches, for outputs that they couldn't hold anyway. Call finish_streams() after.
void stream_out(char* target, const char* source, int64_t bytes) noexcept;
void finish_streams() noexcept;

/// 64 bytes full of one element, as the kernels read a constant operand.
struct alignas(64) Splat {
  char bytes[64];
};
void fill_splat(Splat& splat, const char* element, int64_t item) noexcept;

}  // namespace cpu_simd::TL_ISA
