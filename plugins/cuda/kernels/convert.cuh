#pragma once

#include "halves.cuh"

/// From any type to any other, as C++ converts, rounded once.
namespace kernels {

/// What every type converts from: itself, or the arithmetic type that holds it exactly.
TL_DEVICE float widen(float x) { return x; }
TL_DEVICE double widen(double x) { return x; }
TL_DEVICE int64_t widen(Int x) { return x.value; }
TL_DEVICE int32_t widen(int32_t x) { return x; }
TL_DEVICE int32_t widen(uint8_t x) { return x; }
TL_DEVICE int32_t widen(Bool x) { return truth(x); }
TL_DEVICE float widen(Half x) { return to_float(x); }
TL_DEVICE float widen(BHalf x) { return to_float(x); }

/// A float32 whose rounding to 16 bits is that of x.
TL_DEVICE float to_odd(float x) { return x; }
TL_DEVICE float to_odd(double x) { return to_odd_float(x); }
TL_DEVICE float to_odd(int32_t x) { return to_odd_float(x); }
TL_DEVICE float to_odd(int64_t x) { return to_odd_float(to_odd_double(x)); }

/// Fractions are cut off.
TL_DEVICE int64_t whole(float x) { return to_int64(x); }
TL_DEVICE int64_t whole(double x) { return to_int64(x); }
TL_DEVICE int64_t whole(int32_t x) { return x; }
TL_DEVICE int64_t whole(int64_t x) { return x; }

template <class To> struct Convert {  // float, double
  template <class V> static TL_DEVICE To of(V x) { return static_cast<To>(x); }
};
template <> struct Convert<Int> {
  template <class V> static TL_DEVICE Int of(V x) { return {whole(x)}; }
};
template <> struct Convert<int32_t> {
  template <class V> static TL_DEVICE int32_t of(V x) { return static_cast<int32_t>(whole(x)); }
};
template <> struct Convert<uint8_t> {
  template <class V> static TL_DEVICE uint8_t of(V x) { return static_cast<uint8_t>(whole(x)); }
};
template <> struct Convert<Bool> {
  template <class V> static TL_DEVICE Bool of(V x) { return {static_cast<uint8_t>(x != 0)}; }
};
template <> struct Convert<Half> {
  template <class V> static TL_DEVICE Half of(V x) { return to_float16(to_odd(x)); }
};
template <> struct Convert<BHalf> {
  template <class V> static TL_DEVICE BHalf of(V x) { return to_bfloat16(to_odd(x)); }
};

/// ops.def's copy; to the same type the bits stay as they are.
template <class To> struct copy_to {
  template <class From, class P> static TL_DEVICE To apply(From x, None, None, P, P) {
    return Convert<To>::of(widen(x));
  }
  template <class P> static TL_DEVICE To apply(To x, None, None, P, P) { return x; }
};

}  // namespace kernels
