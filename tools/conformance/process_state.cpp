#include "process_state.h"

#include <clocale>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace torchlight::test {
namespace {

std::uint64_t floating_point_mode() {
#if defined(__x86_64__)
  constexpr std::uint32_t exception_flags = 0x3f;
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return std::uint64_t{x87} << 32 | (_mm_getcsr() & ~exception_flags);
#elif defined(__aarch64__)
  std::uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
#else
#error "which register holds the rounding mode here?"
#endif
}

}  // namespace

ProcessState ProcessState::now() { return {floating_point_mode(), std::setlocale(LC_ALL, nullptr)}; }

std::string ProcessState::difference(const ProcessState& other) const {
  if (floating_point != other.floating_point) return "the floating-point mode";
  if (locale != other.locale) return "the locale";
  return {};
}

}  // namespace torchlight::test
