#include "isa.h"

#include <cstdio>
#include <cstring>

#include "shared.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cpu_simd {
namespace {

struct Candidate {
  const char* name;
  bool runs_here;
  const KernelSet& (*kernels)();
};

constexpr int max_candidates = 3;

/// Best first. Returns how many.
int list_candidates(Candidate* list) noexcept {
#if defined(__x86_64__)
  const CpuWords words = read_cpu_words();
  list[0] = {"avx512", has_avx512(words), kernel_set_avx512};
  list[1] = {"avx2", has_avx2(words), kernel_set_avx2};
  list[2] = {"sse2", true, kernel_set_sse2};
  return 3;
#else
  list[0] = {"neon", true, kernel_set_neon};
  return 1;
#endif
}

void append(char* text, size_t capacity, const char* word) noexcept {
  const size_t used = std::strlen(text);
  std::snprintf(text + used, capacity - used, "%s%s", used ? ", " : "", word);
}

}  // namespace

#if defined(__x86_64__)

CpuWords read_cpu_words() noexcept {
  CpuWords words{};
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) words.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) words.leaf7_ebx = ebx;
  if (words.leaf1_ecx & bit_OSXSAVE) {
    uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words.xcr0 = uint64_t{high} << 32 | low;
  }
  return words;
}

bool has_avx2(const CpuWords& words) noexcept {
  constexpr uint32_t leaf1 = bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C;
  constexpr uint32_t leaf7 = bit_AVX2 | bit_BMI2;
  constexpr uint64_t state = 0x6;  // xmm and the upper halves of ymm
  return (words.leaf1_ecx & leaf1) == leaf1 && (words.leaf7_ebx & leaf7) == leaf7 &&
         (words.xcr0 & state) == state;
}

bool has_avx512(const CpuWords& words) noexcept {
  constexpr uint32_t leaf7 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  constexpr uint64_t state = 0xe6;  // and the mask registers, upper halves of zmm, zmm16-31
  return has_avx2(words) && (words.leaf7_ebx & leaf7) == leaf7 && (words.xcr0 & state) == state;
}

#else

CpuWords read_cpu_words() noexcept { return {}; }
bool has_avx2(const CpuWords&) noexcept { return false; }
bool has_avx512(const CpuWords&) noexcept { return false; }

#endif

const KernelSet* choose_kernels(const char* wanted, tl_error* error) noexcept {
  Candidate list[max_candidates];
  const int count = list_candidates(list);
  const bool any = !wanted || !*wanted;
  char supported[64] = "";
  for (int i = 0; i < count; ++i) {
    if (!list[i].runs_here) continue;
    if (any || std::strcmp(wanted, list[i].name) == 0) return &list[i].kernels();
    append(supported, sizeof supported, list[i].name);
  }
  fail(TL_E_ARGUMENT, error, "TORCHLIGHT_SIMD=%s is not an instruction set of this machine; it has %s",
       wanted, supported);
  return nullptr;
}

}  // namespace cpu_simd
