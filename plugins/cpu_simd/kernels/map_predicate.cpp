#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

CPU_SIMD_MAP(EqScalar, x == a)
CPU_SIMD_MAP(NeScalar, differs(x, a))
CPU_SIMD_MAP(LtScalar, x < a)
CPU_SIMD_MAP(LeScalar, x <= a)
CPU_SIMD_MAP(GtScalar, x > a)
CPU_SIMD_MAP(GeScalar, x >= a)

template <class T> CPU_SIMD_INLINE Mask<T> is_inf(const Vec<T>& x) noexcept {
  return abs_of(x) == splat(std::numeric_limits<T>::infinity());
}
template <class T> CPU_SIMD_INLINE Mask<T> is_finite(const Vec<T>& x) noexcept {
  return abs_of(x) < splat(std::numeric_limits<T>::infinity());
}
CPU_SIMD_INLINE bool is_inf(Int) noexcept { return false; }
CPU_SIMD_INLINE bool is_inf(Bool) noexcept { return false; }
CPU_SIMD_INLINE bool is_finite(Int) noexcept { return true; }
CPU_SIMD_INLINE bool is_finite(Bool) noexcept { return true; }

CPU_SIMD_MAP(IsNan, is_nan(x))
CPU_SIMD_MAP(IsInf, is_inf(x))
CPU_SIMD_MAP(IsFinite, is_finite(x))
CPU_SIMD_MAP(LogicalNot, x == constant<T>(0))

}  // namespace

Kernel find_map_predicate(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_MAP_eq_scalar: return predicate_map<EqScalar>(type);
    case TL_MAP_ne_scalar: return predicate_map<NeScalar>(type);
    case TL_MAP_lt_scalar: return predicate_map<LtScalar>(type);
    case TL_MAP_le_scalar: return predicate_map<LeScalar>(type);
    case TL_MAP_gt_scalar: return predicate_map<GtScalar>(type);
    case TL_MAP_ge_scalar: return predicate_map<GeScalar>(type);
    case TL_MAP_isnan: return predicate_map<IsNan>(type);
    case TL_MAP_isinf: return predicate_map<IsInf>(type);
    case TL_MAP_isfinite: return predicate_map<IsFinite>(type);
    case TL_MAP_logical_not: return predicate_map<LogicalNot>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
