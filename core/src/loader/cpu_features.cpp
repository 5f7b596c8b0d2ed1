#include "loader/cpu_features.h"

#include <torchlight/plugin.h>

#include "support/text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace torchlight::loader {
namespace {

constexpr bool bit(std::uint32_t word, int position) { return (word >> position & 1) != 0; }

// State components in XCR0.
constexpr std::uint64_t ymm_state = 0x6;               // SSE and AVX
constexpr std::uint64_t zmm_state = ymm_state | 0xe0;  // and the mask registers and both halves of ZMM
constexpr std::uint64_t tile_state = 0x60000;

constexpr struct {
  std::uint64_t feature;
  const char* name;
} names[] = {{TL_CPU_SSE42, "sse4.2"},
             {TL_CPU_AVX, "avx"},
             {TL_CPU_AVX2, "avx2"},
             {TL_CPU_FMA, "fma"},
             {TL_CPU_F16C, "f16c"},
             {TL_CPU_BMI2, "bmi2"},
             {TL_CPU_AVX512F, "avx512f"},
             {TL_CPU_AVX512BW, "avx512bw"},
             {TL_CPU_AVX512DQ, "avx512dq"},
             {TL_CPU_AVX512VL, "avx512vl"},
             {TL_CPU_AVX512_BF16, "avx512_bf16"},
             {TL_CPU_AMX, "amx"},
             {TL_CPU_NEON, "neon"},
             {TL_CPU_SVE, "sve"}};

#if defined(__x86_64__)
class ThisCpu final : public CpuidSource {
 public:
  CpuidAnswer cpuid(std::uint32_t leaf, std::uint32_t subleaf) const override {
    CpuidAnswer answer;
    __get_cpuid_count(leaf, subleaf, &answer.eax, &answer.ebx, &answer.ecx, &answer.edx);
    return answer;
  }
  std::uint64_t xcr0() const override {
    std::uint32_t low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
  }
};
#endif

}  // namespace

std::uint64_t cpu_features(const CpuidSource& source) {
  const CpuidAnswer basic = source.cpuid(1, 0);
  const CpuidAnswer extended = source.cpuid(7, 0);
  const CpuidAnswer further = extended.eax >= 1 ? source.cpuid(7, 1) : CpuidAnswer{};
  const std::uint64_t saved = bit(basic.ecx, 27) ? source.xcr0() : 0;
  const auto saves = [&](std::uint64_t state) { return (saved & state) == state; };

  std::uint64_t found = 0;
  const auto add = [&](bool there, std::uint64_t feature) { found |= there ? feature : 0; };
  add(bit(basic.ecx, 20), TL_CPU_SSE42);
  add(bit(extended.ebx, 8), TL_CPU_BMI2);
  if (saves(ymm_state)) {
    add(bit(basic.ecx, 28), TL_CPU_AVX);
    add(bit(basic.ecx, 12), TL_CPU_FMA);
    add(bit(basic.ecx, 29), TL_CPU_F16C);
    add(bit(extended.ebx, 5), TL_CPU_AVX2);
  }
  if (saves(zmm_state)) {
    add(bit(extended.ebx, 16), TL_CPU_AVX512F);
    add(bit(extended.ebx, 17), TL_CPU_AVX512DQ);
    add(bit(extended.ebx, 30), TL_CPU_AVX512BW);
    add(bit(extended.ebx, 31), TL_CPU_AVX512VL);
    add(bit(further.eax, 5), TL_CPU_AVX512_BF16);
  }
  if (saves(tile_state)) add(bit(extended.edx, 24), TL_CPU_AMX);
  return found;
}

std::uint64_t cpu_features() {
#if defined(__x86_64__)
  static const std::uint64_t features = cpu_features(ThisCpu());
  return features;
#elif defined(__aarch64__)
  return TL_CPU_NEON | ((getauxval(AT_HWCAP) >> 22 & 1) != 0 ? TL_CPU_SVE : 0);
#else
  return 0;
#endif
}

std::string feature_names(std::uint64_t features) {
  std::string list;
  const auto append = [&](const std::string& name) { list += (list.empty() ? "" : ", ") + name; };
  for (const auto& known : names) {
    if ((features & known.feature) != 0) append(known.name);
    features &= ~known.feature;
  }
  for (int i = 0; i < 64; ++i)
    if ((features >> i & 1) != 0) append(text("feature ", i));
  return list;
}

}  // namespace torchlight::loader
