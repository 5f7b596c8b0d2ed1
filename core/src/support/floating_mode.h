#pragma once

#include <cstdint>

namespace torchlight {

/// The thread's floating-point mode: rounding, denormals, which exceptions trap; not the sticky flags.
inline std::uint64_t floating_mode() noexcept {
#if defined(__x86_64__)
  std::uint16_t x87;
  asm volatile("fnstcw %0" : "=m"(x87));
  return std::uint64_t{x87} << 32 | (__builtin_ia32_stmxcsr() & ~std::uint32_t{0x3f});
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
  const auto x87 = static_cast<std::uint16_t>(mode >> 32);
  asm volatile("fldcw %0" : : "m"(x87));
  __builtin_ia32_ldmxcsr(static_cast<std::uint32_t>(mode));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(mode));
#endif
}

/// Leaves the thread's mode as it found it, whatever foreign code does meanwhile: a library that was linked
/// with -ffast-math changes it just by being loaded. Costs a few nanoseconds.
class FloatingModeGuard {
 public:
  FloatingModeGuard() = default;
  FloatingModeGuard(const FloatingModeGuard&) = delete;
  FloatingModeGuard& operator=(const FloatingModeGuard&) = delete;
  ~FloatingModeGuard() {
    if (changed()) set_floating_mode(before_);
  }
  bool changed() const { return floating_mode() != before_; }

 private:
  std::uint64_t before_ = floating_mode();
};

}  // namespace torchlight
