#include "loader/cpu_features.h"

#include <doctest/doctest.h>
#include <torchlight/plugin.h>

#include <fstream>
#include <sstream>

using namespace torchlight::loader;

namespace {

/// A CPU that can do everything, under an operating system that saves these registers.
class MockCpu final : public CpuidSource {
 public:
  CpuidAnswer leaf1{0, 0, ~0u, ~0u}, leaf7{1, ~0u, ~0u, ~0u}, leaf7_1{~0u, 0, 0, 0};
  std::uint64_t saved = 0;
  mutable bool was_asked = false;

  CpuidAnswer cpuid(std::uint32_t leaf, std::uint32_t subleaf) const override {
    return leaf == 1 ? leaf1 : subleaf == 0 ? leaf7 : leaf7_1;
  }
  std::uint64_t xcr0() const override {
    was_asked = true;
    return saved;
  }
};

constexpr std::uint64_t plain = TL_CPU_SSE42 | TL_CPU_BMI2;
constexpr std::uint64_t with_ymm = plain | TL_CPU_AVX | TL_CPU_AVX2 | TL_CPU_FMA | TL_CPU_F16C;
constexpr std::uint64_t with_zmm = with_ymm | TL_CPU_AVX512F | TL_CPU_AVX512BW | TL_CPU_AVX512DQ |
                                   TL_CPU_AVX512VL | TL_CPU_AVX512_BF16;

}  // namespace

TEST_CASE("A03: a feature counts only if the operating system saves its registers") {
  MockCpu cpu;
  cpu.saved = 0x3;  // x87 and SSE
  CHECK(cpu_features(cpu) == plain);
  cpu.saved = 0x7;
  CHECK(cpu_features(cpu) == with_ymm);
  cpu.saved = 0x67;  // half of the AVX-512 state is none
  CHECK(cpu_features(cpu) == with_ymm);
  cpu.saved = 0xe7;
  CHECK(cpu_features(cpu) == with_zmm);
  cpu.saved = 0x600e7;
  CHECK(cpu_features(cpu) == (with_zmm | TL_CPU_AMX));
}

TEST_CASE("A03: XCR0 isn't asked for where the CPU doesn't allow it") {
  MockCpu cpu;
  cpu.saved = ~0ull;
  cpu.leaf1.ecx &= ~(1u << 27);  // OSXSAVE
  CHECK(cpu_features(cpu) == plain);
  CHECK_FALSE(cpu.was_asked);
}

TEST_CASE("cpu features: each has its own bit") {
  MockCpu nothing;
  nothing.leaf1 = nothing.leaf7 = nothing.leaf7_1 = {};
  CHECK(cpu_features(nothing) == 0);
  MockCpu cpu;
  cpu.saved = 0xe7;
  cpu.leaf7.ebx &= ~(1u << 5);
  CHECK(cpu_features(cpu) == (with_zmm & ~std::uint64_t{TL_CPU_AVX2}));
  cpu.leaf7.eax = 0;  // no subleaf 1
  CHECK((cpu_features(cpu) & TL_CPU_AVX512_BF16) == 0);
}

TEST_CASE("cpu features: this machine's are those that the kernel shows") {
  std::ifstream info("/proc/cpuinfo");
  std::string flags;
  for (std::string line; std::getline(info, line) && flags.empty();)
    if (line.rfind("flags", 0) == 0) flags = line + " ";
  const auto shown = [&](const char* name) {
    return flags.find(std::string(" ") + name + " ") != std::string::npos;
  };
  const auto found = [](std::uint64_t bit) { return (cpu_features() & bit) != 0; };
#if defined(__x86_64__)
  CHECK(found(TL_CPU_SSE42) == shown("sse4_2"));
  CHECK(found(TL_CPU_AVX) == shown("avx"));
  CHECK(found(TL_CPU_AVX2) == shown("avx2"));
  CHECK(found(TL_CPU_FMA) == shown("fma"));
  CHECK(found(TL_CPU_AVX512F) == shown("avx512f"));
  CHECK(found(TL_CPU_AVX512_BF16) == shown("avx512_bf16"));
#else
  CHECK(found(TL_CPU_NEON));
#endif
}

TEST_CASE("cpu features: names are listed, unknown bits are numbered") {
  CHECK(feature_names(TL_CPU_AVX2 | TL_CPU_FMA | 1ull << 40) == "avx2, fma, feature 40");
  CHECK(feature_names(0).empty());
}
