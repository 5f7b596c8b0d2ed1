#pragma once

#include <cstdint>

namespace torchlight {

/// The thread's rounding and denormal mode: control bits only, without the sticky flags.
inline std::uint64_t floating_mode() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~std::uint32_t{0x3f};
#elif defined(__aarch64__)
  std::uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

inline void set_floating_mode([[maybe_unused]] std::uint64_t mode) noexcept {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(static_cast<std::uint32_t>(mode));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(mode));
#endif
}

}  // namespace torchlight
