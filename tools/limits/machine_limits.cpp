#include "machine_limits.h"

namespace machine {

extern const Kernels baseline, avx2, avx512;

const Kernels& kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#endif
  return baseline;
}

}  // namespace machine
