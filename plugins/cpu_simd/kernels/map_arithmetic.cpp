#include "kernels/elementwise.h"
#include "kernels/rounding.h"

namespace cpu_simd::TL_ISA {
namespace {

CPU_SIMD_MAP(Neg, negative(x))
CPU_SIMD_MAP(Abs, abs_of(x))
CPU_SIMD_MAP(Sign,
             select(x > constant<T>(0), constant<T>(1),
                    select(x < constant<T>(0), constant<T>(-1), select(is_nan(x), x, constant<T>(0)))))
CPU_SIMD_MAP(Square, x* x)
CPU_SIMD_MAP(Reciprocal, quotient(constant<T>(1), x))
CPU_SIMD_MAP(Sqrt, sqrt_of(x))
CPU_SIMD_MAP(Rsqrt, quotient(constant<T>(1), sqrt_of(x)))
CPU_SIMD_MAP(Floor, floor_of(x))
CPU_SIMD_MAP(Ceil, ceil_of(x))
CPU_SIMD_MAP(Round, round_of(x))

CPU_SIMD_MAP(Relu, at_least(x, constant<T>(0)))
CPU_SIMD_MAP(Clamp, minimum(maximum(x, a), b))
CPU_SIMD_MAP(LeakyRelu, select(x > constant<T>(0), x, a* x))

CPU_SIMD_MAP(AddScalar, x + a)
CPU_SIMD_MAP(RsubScalar, a - x)
CPU_SIMD_MAP(MulScalar, x* a)
CPU_SIMD_MAP(DivScalar, quotient(x, a))
CPU_SIMD_MAP(RdivScalar, quotient(a, x))

}  // namespace

Kernel find_map_arithmetic(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_MAP_neg: return number_map<Neg>(type);
    case TL_MAP_abs: return number_map<Abs>(type);
    case TL_MAP_sign: return number_map<Sign>(type);
    case TL_MAP_square: return number_map<Square>(type);
    case TL_MAP_reciprocal: return real_map<Reciprocal>(type);
    case TL_MAP_sqrt: return real_map<Sqrt>(type);
    case TL_MAP_rsqrt: return real_map<Rsqrt>(type);
    case TL_MAP_floor: return real_map<Floor>(type);
    case TL_MAP_ceil: return real_map<Ceil>(type);
    case TL_MAP_round: return real_map<Round>(type);
    case TL_MAP_relu: return number_map<Relu>(type);
    case TL_MAP_clamp: return number_map<Clamp>(type);
    case TL_MAP_leaky_relu: return real_map<LeakyRelu>(type);
    case TL_MAP_add_scalar: return number_map<AddScalar>(type);
    case TL_MAP_rsub_scalar: return number_map<RsubScalar>(type);
    case TL_MAP_mul_scalar: return number_map<MulScalar>(type);
    case TL_MAP_div_scalar: return real_map<DivScalar>(type);
    case TL_MAP_rdiv_scalar: return real_map<RdivScalar>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
