#include "kernels/activations.h"
#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

CPU_SIMD_MAP(Gelu, gelu_of(x))
CPU_SIMD_MAP(GeluTanh, gelu_tanh_of(x))
CPU_SIMD_MAP(Silu, silu_of(x))
CPU_SIMD_MAP(Softplus, select(a* x > b, x, quotient(softplus_of(a* x), a)))

}  // namespace

Kernel find_map_activation(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_MAP_gelu: return long_map<Gelu>(type);
    case TL_MAP_gelu_tanh: return long_map<GeluTanh>(type);
    case TL_MAP_silu: return long_map<Silu>(type);
    case TL_MAP_softplus: return long_map<Softplus>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
