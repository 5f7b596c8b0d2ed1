#include "kernels/activations.h"
#include "kernels/elementwise.h"

namespace cpu_simd::TL_ISA {
namespace {

// x is the gradient that comes in.
CPU_SIMD_ZIP(ReluBw, select(y > constant<T>(0), x, constant<T>(0)))
CPU_SIMD_ZIP(SigmoidBw, x* y*(constant<T>(1) - y))
CPU_SIMD_ZIP(TanhBw, x* fnma(y, y, constant<T>(1)))
CPU_SIMD_ZIP(GeluBw, x* gelu_derivative(y))
CPU_SIMD_ZIP(GeluTanhBw, x* gelu_tanh_derivative(y))
CPU_SIMD_ZIP(SiluBw, x* silu_derivative(y))
CPU_SIMD_ZIP(LeakyReluBw, select(y > constant<T>(0), x, a* x))
CPU_SIMD_ZIP(SoftplusBw, select(a* y > b, x, x* sigmoid_of(a* y)))
CPU_SIMD_ZIP(ClampBw, select((y >= a) & (y <= b), x, constant<T>(0)))

}  // namespace

Kernel find_zip_gradient(uint32_t fn, Type type) noexcept {
  switch (fn) {
    case TL_ZIP_relu_bw: return real_zip<ReluBw>(type);
    case TL_ZIP_sigmoid_bw: return real_zip<SigmoidBw>(type);
    case TL_ZIP_tanh_bw: return real_zip<TanhBw>(type);
    case TL_ZIP_gelu_bw: return long_zip<GeluBw>(type);
    case TL_ZIP_gelu_tanh_bw: return long_zip<GeluTanhBw>(type);
    case TL_ZIP_silu_bw: return long_zip<SiluBw>(type);
    case TL_ZIP_leaky_relu_bw: return real_zip<LeakyReluBw>(type);
    case TL_ZIP_softplus_bw: return long_zip<SoftplusBw>(type);
    case TL_ZIP_clamp_bw: return real_zip<ClampBw>(type);
    default: return nullptr;
  }
}

}  // namespace cpu_simd::TL_ISA
