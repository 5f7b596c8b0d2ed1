#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

CPU_SIMD_ZIP(Eq, x == y)
CPU_SIMD_ZIP(Ne, differs(x, y))
CPU_SIMD_ZIP(Lt, x < y)
CPU_SIMD_ZIP(Le, x <= y)
CPU_SIMD_ZIP(Gt, x > y)
CPU_SIMD_ZIP(Ge, x >= y)
CPU_SIMD_ZIP(And, truth(x) && truth(y))
CPU_SIMD_ZIP(Or, truth(x) || truth(y))
CPU_SIMD_ZIP(Xor, truth(x) != truth(y))

template <class F> constexpr Choice logic_zip{nullptr, nullptr, nullptr, zip_test_kernel<F, Bool>};

}  // namespace

Kernel find_zip_predicate(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_ZIP_eq: return predicate_zip<Eq>(type);
    case TL_ZIP_ne: return predicate_zip<Ne>(type);
    case TL_ZIP_lt: return predicate_zip<Lt>(type);
    case TL_ZIP_le: return predicate_zip<Le>(type);
    case TL_ZIP_gt: return predicate_zip<Gt>(type);
    case TL_ZIP_ge: return predicate_zip<Ge>(type);
    case TL_ZIP_logical_and: return logic_zip<And>(type);
    case TL_ZIP_logical_or: return logic_zip<Or>(type);
    case TL_ZIP_logical_xor: return logic_zip<Xor>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
