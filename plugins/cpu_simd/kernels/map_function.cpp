#include "kernels/elementwise.h"
#include "kernels/math.h"
#include "kernels/trig.h"

namespace cpu_simd::TL_ISA {
namespace {

CPU_SIMD_MAP(Exp, exp_of(x))
CPU_SIMD_MAP(Log, log_of(x))
CPU_SIMD_MAP(Sin, sin_of(x))
CPU_SIMD_MAP(Cos, cos_of(x))
CPU_SIMD_MAP(Erf, erf_of(x))
CPU_SIMD_MAP(Tanh, tanh_of(x))
CPU_SIMD_MAP(Sigmoid, sigmoid_of(x))

}  // namespace

Kernel find_map_function(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_MAP_exp: return long_map<Exp>(type);
    case TL_MAP_log: return long_map<Log>(type);
    case TL_MAP_sin: return long_map<Sin>(type);
    case TL_MAP_cos: return long_map<Cos>(type);
    case TL_MAP_erf: return long_map<Erf>(type);
    case TL_MAP_tanh: return long_map<Tanh>(type);
    case TL_MAP_sigmoid: return long_map<Sigmoid>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
