#pragma once

#include <torchlight/plugin.h>

#include "kernel_set.h"

namespace cpu_simd {

/// What CPUID and XCR0 say; zero where the processor doesn't know the leaf.
struct CpuWords {
  uint32_t leaf1_ecx;
  uint32_t leaf7_ebx;
  uint64_t xcr0;  ///< the register state that the operating system saves and restores
};

CpuWords read_cpu_words() noexcept;
bool has_avx2(const CpuWords& words) noexcept;    ///< with FMA, F16C and BMI2
bool has_avx512(const CpuWords& words) noexcept;  ///< F, BW, DQ and VL on top of that

/// The kernels that TORCHLIGHT_SIMD asks for (`wanted`; NULL or empty: the best that runs here). NULL
/// with the reason in `error` if the name is unknown or this machine can't run it.
const KernelSet* choose_kernels(const char* wanted, tl_error* error) noexcept;

}  // namespace cpu_simd
