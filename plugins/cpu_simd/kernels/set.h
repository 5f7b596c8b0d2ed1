#pragma once

#include "kernel_set.h"

/// TL_ISA is the instruction set being compiled for, given by the build: sse2, avx2, avx512 or neon. All
/// that the files of this folder define lives in cpu_simd::TL_ISA, so that no symbol of theirs can be
/// taken for the code of another.
#define CPU_SIMD_JOIN_(a, b) a##b
#define CPU_SIMD_JOIN(a, b) CPU_SIMD_JOIN_(a, b)
#define CPU_SIMD_STRING_(a) #a
#define CPU_SIMD_STRING(a) CPU_SIMD_STRING_(a)

#define CPU_SIMD_INLINE [[gnu::always_inline]] inline
/// A function that does enough to be called: the compiler, left alone, would copy it into each caller.
#define CPU_SIMD_APART [[gnu::noinline]]

namespace cpu_simd::TL_ISA {

/// Each group of kernels enters itself into the set.
void add_map(KernelSet& set) noexcept;
void add_zip(KernelSet& set) noexcept;
void add_reduce(KernelSet& set) noexcept;
void add_matmul(KernelSet& set) noexcept;
void add_softmax(KernelSet& set) noexcept;
void add_layernorm(KernelSet& set) noexcept;
void add_index(KernelSet& set) noexcept;
void add_scan(KernelSet& set) noexcept;
void add_random(KernelSet& set) noexcept;
void add_optim(KernelSet& set) noexcept;

}  // namespace cpu_simd::TL_ISA
