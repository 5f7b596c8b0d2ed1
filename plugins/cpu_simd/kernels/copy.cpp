#include "kernels/elementwise.h"
#include "kernels/halves.h"

namespace cpu_simd::TL_ISA {
namespace {

/// What every type converts from: itself, or the arithmetic type that holds it exactly.
CPU_SIMD_INLINE float widen(float x) noexcept { return x; }
CPU_SIMD_INLINE double widen(double x) noexcept { return x; }
CPU_SIMD_INLINE int64_t widen(int64_t x) noexcept { return x; }
CPU_SIMD_INLINE int32_t widen(int32_t x) noexcept { return x; }
CPU_SIMD_INLINE int32_t widen(uint8_t x) noexcept { return x; }
CPU_SIMD_INLINE int32_t widen(Bool x) noexcept { return truth(x); }
CPU_SIMD_INLINE float widen(Half x) noexcept { return to_float(x); }
CPU_SIMD_INLINE float widen(BHalf x) noexcept { return to_float(x); }

/// A float32 whose rounding to 16 bits is that of x.
CPU_SIMD_INLINE float to_odd(float x) noexcept { return x; }
CPU_SIMD_INLINE float to_odd(double x) noexcept { return to_odd_float(x); }
CPU_SIMD_INLINE float to_odd(int32_t x) noexcept { return to_odd_float(x); }
CPU_SIMD_INLINE float to_odd(int64_t x) noexcept { return to_odd_float(to_odd_double(x)); }

template <class To, class From> CPU_SIMD_INLINE To convert(From x) noexcept {
  if constexpr (std::is_same_v<To, Bool>)
    return Bool{x != 0};
  else if constexpr (std::is_same_v<To, Half>)
    return to_float16(to_odd(x));
  else if constexpr (std::is_same_v<To, BHalf>)
    return to_bfloat16(to_odd(x));
  else if constexpr (std::is_integral_v<To> && is_real<From>)
    return static_cast<To>(to_int64(x));
  else
    return static_cast<To>(x);
}

template <class To, class From> void copy_kernel(const Piece& piece, const double*) noexcept {
  To* out = reinterpret_cast<To*>(piece.out);
  const From* in = reinterpret_cast<const From*>(piece.in[0]);
  if (piece.step[0]) {
    for (int64_t i = 0; i < piece.n; ++i) out[i] = convert<To>(widen(in[i]));
  } else {
    const To value = convert<To>(widen(in[0]));
    for (int64_t i = 0; i < piece.n; ++i) out[i] = value;
  }
}

/// The same type: bytes.
template <class T> void same_kernel(const Piece& piece, const double*) noexcept {
  if (piece.step[0]) {
    if (piece.out != piece.in[0])
      std::memcpy(piece.out, piece.in[0], static_cast<size_t>(piece.n) * sizeof(T));
  } else {
    T value;
    std::memcpy(&value, piece.in[0], sizeof(T));
    T* out = reinterpret_cast<T*>(piece.out);
    for (int64_t i = 0; i < piece.n; ++i) out[i] = value;
  }
}

template <class To> Kernel copy_to(tl_dtype from) noexcept {
  switch (dtype_key(from)) {
    case key_float32: return copy_kernel<To, float>;
    case key_float64: return copy_kernel<To, double>;
    case key_int64: return copy_kernel<To, int64_t>;
    case key_int32: return copy_kernel<To, int32_t>;
    case key_uint8: return copy_kernel<To, uint8_t>;
    case key_bool: return copy_kernel<To, Bool>;
    case key_float16: return copy_kernel<To, Half>;
    default: return copy_kernel<To, BHalf>;
  }
}

Kernel copy_same(int64_t bits) noexcept {
  switch (bits) {
    case 8: return same_kernel<uint8_t>;
    case 16: return same_kernel<uint16_t>;
    case 32: return same_kernel<uint32_t>;
    default: return same_kernel<uint64_t>;
  }
}

template <class T> void fill_kernel(const Piece& piece, const double* params) noexcept {
  const T value = convert<T>(params[0]);
  T* out = reinterpret_cast<T*>(piece.out);
  for (int64_t i = 0; i < piece.n; ++i) out[i] = value;
}

constexpr Choice fill{fill_kernel<float>, fill_kernel<double>, fill_kernel<int64_t>, fill_kernel<Bool>};

}  // namespace

Kernel find_copy(tl_dtype from, tl_dtype to) noexcept {
  if (dtype_key(from) == dtype_key(to)) return copy_same(from.bits);
  switch (dtype_key(to)) {
    case key_float32: return copy_to<float>(from);
    case key_float64: return copy_to<double>(from);
    case key_int64: return copy_to<int64_t>(from);
    case key_int32: return copy_to<int32_t>(from);
    case key_uint8: return copy_to<uint8_t>(from);
    case key_bool: return copy_to<Bool>(from);
    case key_float16: return copy_to<Half>(from);
    default: return copy_to<BHalf>(from);
  }
}

Kernel find_fill(Type type) noexcept { return fill(type); }

}  // namespace cpu_simd::TL_ISA
