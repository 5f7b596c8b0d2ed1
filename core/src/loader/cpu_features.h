#pragma once

#include <cstdint>
#include <string>

/// What this CPU can do, as TL_CPU_… bits. A feature counts only if the operating system saves its
/// registers, too (XCR0): a CPU that has AVX-512 under a kernel without it raises SIGILL.
namespace torchlight::loader {

struct CpuidAnswer {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Where the answers come from: the CPU, or a test.
class CpuidSource {
 public:
  virtual CpuidAnswer cpuid(std::uint32_t leaf, std::uint32_t subleaf) const = 0;
  /// Asked for only if CPUID says that the register may be read.
  virtual std::uint64_t xcr0() const = 0;

 protected:
  ~CpuidSource() = default;
};

std::uint64_t cpu_features(const CpuidSource& source);

/// Of this machine; found out once.
std::uint64_t cpu_features();

/// "avx2, fma"; a bit this core doesn't know is "feature 40".
std::string feature_names(std::uint64_t features);

}  // namespace torchlight::loader
