#include "kernels/set.h"

namespace cpu_simd {
namespace TL_ISA {

static KernelSet assemble() {
  KernelSet set{};
  set.name = CPU_SIMD_STRING(TL_ISA);
  add_map(set);
  add_zip(set);
  add_reduce(set);
  add_matmul(set);
  add_softmax(set);
  add_layernorm(set);
  add_index(set);
  add_scan(set);
  add_random(set);
  add_optim(set);
  return set;
}

}  // namespace TL_ISA

const KernelSet& CPU_SIMD_JOIN(kernel_set_, TL_ISA)() {
  static const KernelSet set = TL_ISA::assemble();
  return set;
}

}  // namespace cpu_simd
