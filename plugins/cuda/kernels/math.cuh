#pragma once

#include "types.cuh"

/// Elementary functions by one name for float and double. CUDA's own are within 2 ULP (pow 4), keep denormals
/// and are right at the edges; what is put together of them is below and in normal.cuh.
namespace kernels {

TL_DEVICE float exp_of(float x) { return expf(x); }
TL_DEVICE double exp_of(double x) { return exp(x); }
TL_DEVICE float log_of(float x) { return logf(x); }
TL_DEVICE double log_of(double x) { return log(x); }
TL_DEVICE float log1p_of(float x) { return log1pf(x); }
TL_DEVICE double log1p_of(double x) { return log1p(x); }
TL_DEVICE float sin_of(float x) { return sinf(x); }
TL_DEVICE double sin_of(double x) { return sin(x); }
TL_DEVICE float cos_of(float x) { return cosf(x); }
TL_DEVICE double cos_of(double x) { return cos(x); }
TL_DEVICE float erf_of(float x) { return erff(x); }
TL_DEVICE double erf_of(double x) { return erf(x); }
TL_DEVICE float tanh_of(float x) { return tanhf(x); }
TL_DEVICE double tanh_of(double x) { return tanh(x); }
TL_DEVICE float sqrt_of(float x) { return sqrtf(x); }
TL_DEVICE double sqrt_of(double x) { return sqrt(x); }
TL_DEVICE float floor_of(float x) { return floorf(x); }
TL_DEVICE double floor_of(double x) { return floor(x); }
TL_DEVICE float ceil_of(float x) { return ceilf(x); }
TL_DEVICE double ceil_of(double x) { return ceil(x); }
TL_DEVICE float round_of(float x) { return rintf(x); }
TL_DEVICE double round_of(double x) { return rint(x); }
TL_DEVICE float abs_of(float x) { return fabsf(x); }
TL_DEVICE double abs_of(double x) { return fabs(x); }
TL_DEVICE Int abs_of(Int x) { return x.value < 0 ? -x : x; }
TL_DEVICE float fma_of(float a, float b, float c) { return fmaf(a, b, c); }
TL_DEVICE double fma_of(double a, double b, double c) { return fma(a, b, c); }
TL_DEVICE Int fma_of(Int a, Int b, Int c) { return a * b + c; }
TL_DEVICE float pow_of(float x, float y) { return powf(x, y); }
TL_DEVICE double pow_of(double x, double y) { return pow(x, y); }

/// By squaring, wrapping around. A negative power of anything but 1 and -1 is 0.
TL_DEVICE Int pow_of(Int x, Int y) {
  const bool odd = y.value & 1;
  if (y.value < 0) {
    if (x.value == 1) return x;
    return {x.value == -1 ? (odd ? -1 : 1) : 0};
  }
  Int result = {1};
  for (uint64_t n = bits_of(y); n != 0; n >>= 1) {
    if (n & 1) result = result * x;
    x = x * x;
  }
  return result;
}

TL_DEVICE bool is_nan(float x) { return x != x; }
TL_DEVICE bool is_nan(double x) { return x != x; }
TL_DEVICE bool is_nan(Int) { return false; }
TL_DEVICE bool is_nan(Bool) { return false; }
template <class T> TL_DEVICE bool is_inf(T x) { return abs_of(x) == Limits<T>::infinity(); }
TL_DEVICE bool is_inf(Int) { return false; }
TL_DEVICE bool is_inf(Bool) { return false; }
template <class T> TL_DEVICE bool is_finite(T x) { return abs_of(x) < Limits<T>::infinity(); }
TL_DEVICE bool is_finite(Int) { return true; }
TL_DEVICE bool is_finite(Bool) { return true; }

/// NaN if either is.
template <class T> TL_DEVICE T maximum(T a, T b) { return is_nan(a) || a > b ? a : b; }
template <class T> TL_DEVICE T minimum(T a, T b) { return is_nan(a) || a < b ? a : b; }

template <class T> TL_DEVICE T sign_of(T x) {
  const T zero = Constant<T>::of(0);
  return x > zero ? Constant<T>::of(1) : x < zero ? Constant<T>::of(-1) : is_nan(x) ? x : zero;
}

/// c0 + c1 x + …, by Horner's rule.
template <class T> TL_DEVICE T polynomial(T, T c) { return c; }
template <class T, class... More> TL_DEVICE T polynomial(T x, T c, More... more) {
  return fma_of(polynomial(x, static_cast<T>(more)...), x, c);
}

/// By the exponential of -|x|, which doesn't overflow.
template <class T> TL_DEVICE T sigmoid_of(T x) {
  const T e = exp_of(-abs_of(x));
  return (x < 0 ? e : T(1)) / (1 + e);
}

/// ln(1 + e^w).
template <class T> TL_DEVICE T softplus_of(T w) {
  return maximum(w, T(0)) + log1p_of(exp_of(-abs_of(w)));
}

/// |x|, bounded where the functions below have reached their limit, so that infinities come out right.
template <class T> TL_DEVICE T bounded(T x, T limit) {
  const T magnitude = abs_of(x);
  return magnitude > limit ? limit : magnitude;
}

/// x sigmoid(w) for w of the sign of x: below 0, x e / (1 + e) with e = e^-|w|.
template <class T> TL_DEVICE T times_sigmoid(T x, T size, T w) {
  const T e = exp_of(-abs_of(w));
  return (x > 0 || is_nan(x) ? x : -(size * e)) / (1 + e);
}

template <class T> TL_DEVICE T silu_of(T x) {
  const T size = bounded(x, T(sizeof(T) == 4 ? 110 : 760));
  return times_sigmoid(x, size, size);
}

/// s + bend below 1, or its mirror image: the derivative of x sigmoid(w) with s = sigmoid(w), slope = w'.
template <class T> TL_DEVICE T sigmoid_slope(T x, T size, T w, T slope) {
  const T e = exp_of(-abs_of(w)), s = 1 / (1 + e), es = e * s, bend = size * slope * es * s;
  return x < 0 ? es - bend : s + bend;
}

template <class T> TL_DEVICE T silu_derivative(T x) {
  const T size = bounded(x, T(sizeof(T) == 4 ? 110 : 760));
  return sigmoid_slope(x, size, size, T(1));
}

/// 2 sqrt(2 / pi), and that times 0.044715: w = x (linear + cubic x^2).
template <class T> struct GeluTanh {
  static TL_DEVICE T linear() { return T(0x1.9884533d43651p+0); }
  static TL_DEVICE T cubic() { return T(0x1.2444f2a4d8b4bp-4); }
  static TL_DEVICE T end() { return T(sizeof(T) == 4 ? 11 : 22); }
};

template <class T> TL_DEVICE T gelu_tanh_of(T x) {
  using C = GeluTanh<T>;
  const T size = bounded(x, C::end());
  return times_sigmoid(x, size, size * fma_of(C::cubic(), size * size, C::linear()));
}

template <class T> TL_DEVICE T gelu_tanh_derivative(T x) {
  using C = GeluTanh<T>;
  const T size = bounded(x, C::end()), square = size * size;
  const T w = size * fma_of(C::cubic(), square, C::linear());
  return sigmoid_slope(x, size, w, fma_of(3 * C::cubic(), square, C::linear()));
}

}  // namespace kernels
