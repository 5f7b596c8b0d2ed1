#pragma once

#include "normal.cuh"

/// The functions of ops.def's zips, each once, for all types of its domain. In derivatives x is the gradient
/// that comes in.
namespace kernels {

/// T is the type of the second input and of the parameters; First and Third are the others' types.
#define TL_ZIP_FUNCTION_(name, X, Z, ...)                                                   \
  struct zip_##name {                                                                       \
    template <class T> using First = X;                                                     \
    template <class T> using Third = Z;                                                     \
    template <class T> static TL_DEVICE auto apply(X x, T y, Z z, T a, T b) {               \
      return static_cast<void>(a), static_cast<void>(b), static_cast<void>(z), __VA_ARGS__; \
    }                                                                                       \
  };
#define TL_ZIP_FUNCTION(name, ...) TL_ZIP_FUNCTION_(name, T, None, __VA_ARGS__)
#define TL_ZIP_FUNCTION_3(name, ...) TL_ZIP_FUNCTION_(name, T, T, __VA_ARGS__)

TL_ZIP_FUNCTION(add, x + y)
TL_ZIP_FUNCTION(sub, x - y)
TL_ZIP_FUNCTION(mul, x* y)
TL_ZIP_FUNCTION(div, x / y)
TL_ZIP_FUNCTION(pow, pow_of(x, y))
TL_ZIP_FUNCTION(maximum, maximum(x, y))
TL_ZIP_FUNCTION(minimum, minimum(x, y))

TL_ZIP_FUNCTION(eq, x == y)
TL_ZIP_FUNCTION(ne, x != y)
TL_ZIP_FUNCTION(lt, x < y)
TL_ZIP_FUNCTION(le, x <= y)
TL_ZIP_FUNCTION(gt, x > y)
TL_ZIP_FUNCTION(ge, x >= y)
TL_ZIP_FUNCTION(logical_and, truth(x) && truth(y))
TL_ZIP_FUNCTION(logical_or, truth(x) || truth(y))
TL_ZIP_FUNCTION(logical_xor, truth(x) != truth(y))

TL_ZIP_FUNCTION_(where, Bool, T, truth(x) ? y : z)
TL_ZIP_FUNCTION_3(clamp_tensor, minimum(maximum(x, y), z))
TL_ZIP_FUNCTION_3(addcmul, x + a * y * z)

TL_ZIP_FUNCTION(relu_bw, y > 0 ? x : T(0))
TL_ZIP_FUNCTION(sigmoid_bw, x* y*(1 - y))
TL_ZIP_FUNCTION(tanh_bw, x* fma_of(-y, y, T(1)))
TL_ZIP_FUNCTION(gelu_bw, x* gelu_derivative(y))
TL_ZIP_FUNCTION(gelu_tanh_bw, x* gelu_tanh_derivative(y))
TL_ZIP_FUNCTION(silu_bw, x* silu_derivative(y))
TL_ZIP_FUNCTION(leaky_relu_bw, y > 0 ? x : a * x)
TL_ZIP_FUNCTION(softplus_bw, a* y > b ? x : x * sigmoid_of(a * y))
TL_ZIP_FUNCTION(clamp_bw, y >= a && y <= b ? x : T(0))

}  // namespace kernels
