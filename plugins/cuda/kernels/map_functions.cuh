#pragma once

#include "normal.cuh"

/// The functions of ops.def's maps, each once, for all types of its domain. T is the input's type, a and b the
/// parameters in it.
namespace kernels {

#define TL_MAP_FUNCTION(name, ...)                                              \
  struct map_##name {                                                           \
    template <class T> static TL_DEVICE auto apply(T x, None, None, T a, T b) { \
      return static_cast<void>(a), static_cast<void>(b), __VA_ARGS__;           \
    }                                                                           \
  };
#define TL_NUMBER(n) Constant<T>::of(n)

TL_MAP_FUNCTION(neg, -x)
TL_MAP_FUNCTION(abs, abs_of(x))
TL_MAP_FUNCTION(sign, sign_of(x))
TL_MAP_FUNCTION(square, x* x)
TL_MAP_FUNCTION(reciprocal, 1 / x)
TL_MAP_FUNCTION(sqrt, sqrt_of(x))
TL_MAP_FUNCTION(rsqrt, 1 / sqrt_of(x))
TL_MAP_FUNCTION(floor, floor_of(x))
TL_MAP_FUNCTION(ceil, ceil_of(x))
TL_MAP_FUNCTION(round, round_of(x))

TL_MAP_FUNCTION(exp, exp_of(x))
TL_MAP_FUNCTION(log, log_of(x))
TL_MAP_FUNCTION(sin, sin_of(x))
TL_MAP_FUNCTION(cos, cos_of(x))
TL_MAP_FUNCTION(erf, erf_of(x))
TL_MAP_FUNCTION(tanh, tanh_of(x))
TL_MAP_FUNCTION(sigmoid, sigmoid_of(x))
TL_MAP_FUNCTION(relu, x < TL_NUMBER(0) ? TL_NUMBER(0) : x)
TL_MAP_FUNCTION(gelu, gelu_of(x))
TL_MAP_FUNCTION(gelu_tanh, gelu_tanh_of(x))
TL_MAP_FUNCTION(silu, silu_of(x))
TL_MAP_FUNCTION(leaky_relu, x > 0 ? x : a * x)
TL_MAP_FUNCTION(softplus, a* x > b ? x : softplus_of(a * x) / a)
TL_MAP_FUNCTION(clamp, minimum(maximum(x, a), b))

TL_MAP_FUNCTION(add_scalar, x + a)
TL_MAP_FUNCTION(rsub_scalar, a - x)
TL_MAP_FUNCTION(mul_scalar, x* a)
TL_MAP_FUNCTION(div_scalar, x / a)
TL_MAP_FUNCTION(rdiv_scalar, a / x)
TL_MAP_FUNCTION(pow_scalar, pow_of(x, a))
TL_MAP_FUNCTION(rpow_scalar, pow_of(a, x))
TL_MAP_FUNCTION(eq_scalar, x == a)
TL_MAP_FUNCTION(ne_scalar, x != a)
TL_MAP_FUNCTION(lt_scalar, x < a)
TL_MAP_FUNCTION(le_scalar, x <= a)
TL_MAP_FUNCTION(gt_scalar, x > a)
TL_MAP_FUNCTION(ge_scalar, x >= a)

TL_MAP_FUNCTION(isnan, is_nan(x))
TL_MAP_FUNCTION(isinf, is_inf(x))
TL_MAP_FUNCTION(isfinite, is_finite(x))
TL_MAP_FUNCTION(logical_not, x == TL_NUMBER(0))

#undef TL_NUMBER

}  // namespace kernels
