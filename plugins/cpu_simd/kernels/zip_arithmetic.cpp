#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

CPU_SIMD_ZIP(Add, x + y)
CPU_SIMD_ZIP(Sub, x - y)
CPU_SIMD_ZIP(Mul, x* y)
CPU_SIMD_ZIP(Div, quotient(x, y))
CPU_SIMD_ZIP(Maximum, maximum(x, y))
CPU_SIMD_ZIP(Minimum, minimum(x, y))
CPU_SIMD_ZIP3(ClampTensor, minimum(maximum(x, y), z))
CPU_SIMD_ZIP3(Addcmul, x + (a * y) * z)

/// x ? y : z. Integers are selected as bits, so that one kernel serves all types of a size.
template <class T> void where_kernel(const Piece& piece, const double*) noexcept {
  const auto f = [](auto x, auto y, auto z) { return select(x, y, z); };
  vector_loop<T>(piece, f, Condition<T>(piece, 0), Source<T>(piece, 1), Source<T>(piece, 2));
}

void where_bool(const Piece& piece, const double*) noexcept {
  value_loop_3<Bool, Bool, Bool>(piece,
                                 [](Bool x, Bool y, Bool z) { return truth(x) ? truth(y) : truth(z); });
}

constexpr Choice where{where_kernel<float>, where_kernel<double>, where_kernel<double>, where_bool};

}  // namespace

Kernel find_zip_arithmetic(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_ZIP_add: return number_zip<Add>(type);
    case TL_ZIP_sub: return number_zip<Sub>(type);
    case TL_ZIP_mul: return number_zip<Mul>(type);
    case TL_ZIP_div: return real_zip<Div>(type);
    case TL_ZIP_maximum: return number_zip<Maximum>(type);
    case TL_ZIP_minimum: return number_zip<Minimum>(type);
    case TL_ZIP_where: return where(type);
    case TL_ZIP_clamp_tensor: return number_zip3<ClampTensor>(type);
    case TL_ZIP_addcmul: return number_zip3<Addcmul>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
