#pragma once

#include "kernels/bools.h"
#include "kernels/iterate.h"

/// Functors over pieces. A real functor works on registers: the last, partial one goes through the very
/// same code, padded with zeros, so that an element's bits don't depend on where it stands. Functors of
/// int64 and bool work on single values, and the compiler makes vectors of the loop.
namespace cpu_simd::TL_ISA {

/// An input that moves on by registers, or stands on its constant.
template <class T> struct Source {
  const T* p;
  int64_t step;  ///< elements per register

  CPU_SIMD_INLINE Source(const Piece& piece, int k) noexcept
      : p(reinterpret_cast<const T*>(piece.in[k])), step(piece.step[k] * lanes<T>) {}
  CPU_SIMD_INLINE Vec<T> next() noexcept {
    const Vec<T> v = load(p);
    p += step;
    return v;
  }
  CPU_SIMD_INLINE Vec<T> part(int64_t n) const noexcept { return load_part(p, n); }
};

/// The same for a condition, which gives masks of T.
template <class T> struct Condition {
  const uint8_t* p;
  int64_t step;

  CPU_SIMD_INLINE Condition(const Piece& piece, int k) noexcept
      : p(reinterpret_cast<const uint8_t*>(piece.in[k])), step(piece.step[k] * lanes<T>) {}
  CPU_SIMD_INLINE Mask<T> next() noexcept {
    const Mask<T> m = load_bools<T>(p);
    p += step;
    return m;
  }
  CPU_SIMD_INLINE Mask<T> part(int64_t n) const noexcept { return load_bools_part<T>(p, n); }
};

template <class T> CPU_SIMD_INLINE void put(char* out, int64_t i, const Vec<T>& v) noexcept {
  store(reinterpret_cast<T*>(out) + i, v);
}
template <class T> CPU_SIMD_INLINE void put(char* out, int64_t i, const Mask<T>& m) noexcept {
  store_bools<T>(reinterpret_cast<uint8_t*>(out) + i, m);
}
template <class T>
CPU_SIMD_INLINE void put_part(char* out, int64_t i, const Vec<T>& v, int64_t n) noexcept {
  store_part(reinterpret_cast<T*>(out) + i, v, n);
}
template <class T>
CPU_SIMD_INLINE void put_part(char* out, int64_t i, const Mask<T>& m, int64_t n) noexcept {
  store_bools_part<T>(reinterpret_cast<uint8_t*>(out) + i, m, n);
}

/// out = f(sources…), a register of T at a time; f gives a register or a mask.
template <class T, class F, class... Sources>
CPU_SIMD_INLINE void vector_loop(const Piece& piece, const F& f, Sources... sources) noexcept {
  int64_t i = 0;
  for (; i + lanes<T> <= piece.n; i += lanes<T>) put<T>(piece.out, i, f(sources.next()...));
  if (const int64_t rest = piece.n - i) put_part<T>(piece.out, i, f(sources.part(rest)...), rest);
}

/// The same with f inlined once.
template <class T, class F, class... Sources>
CPU_SIMD_INLINE void compact_loop(const Piece& piece, const F& f, Sources... sources) noexcept {
  for (int64_t i = 0; i < piece.n; i += lanes<T>) {
    const int64_t rest = piece.n - i;
    const Vec<T> v = rest >= lanes<T> ? f(sources.next()...) : f(sources.part(rest)...);
    if (rest >= lanes<T>)
      put<T>(piece.out, i, v);
    else
      put_part<T>(piece.out, i, v, rest);
  }
}

CPU_SIMD_INLINE void assign(Int* out, Int value) noexcept { *out = value; }
CPU_SIMD_INLINE void assign(Bool* out, bool value) noexcept { out->byte = value; }

/// The same for single values. The common cases of steps each have a loop that becomes vectors.
template <class Out, class In, class F>
CPU_SIMD_INLINE void value_loop(const Piece& piece, const F& f) noexcept {
  Out* out = reinterpret_cast<Out*>(piece.out);
  const In* x = reinterpret_cast<const In*>(piece.in[0]);
  const int64_t step = piece.step[0];
  if (step) {
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, f(x[i]));
  } else {
    const auto value = f(x[0]);
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, value);
  }
}

template <class Out, class In, class F>
CPU_SIMD_INLINE void value_loop_2(const Piece& piece, const F& f) noexcept {
  Out* out = reinterpret_cast<Out*>(piece.out);
  const In* x = reinterpret_cast<const In*>(piece.in[0]);
  const In* y = reinterpret_cast<const In*>(piece.in[1]);
  const int64_t sx = piece.step[0], sy = piece.step[1];
  if (sx && sy) {
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, f(x[i], y[i]));
  } else if (sx) {
    const In value = y[0];
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, f(x[i], value));
  } else {
    const In value = x[0];
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, f(value, y[i * sy]));
  }
}

template <class Out, class First, class In, class F>
CPU_SIMD_INLINE void value_loop_3(const Piece& piece, const F& f) noexcept {
  Out* out = reinterpret_cast<Out*>(piece.out);
  const First* x = reinterpret_cast<const First*>(piece.in[0]);
  const In* y = reinterpret_cast<const In*>(piece.in[1]);
  const In* z = reinterpret_cast<const In*>(piece.in[2]);
  const int64_t sx = piece.step[0], sy = piece.step[1], sz = piece.step[2];
  if (sx && sy && sz) {
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, f(x[i], y[i], z[i]));
  } else {
    for (int64_t i = 0; i < piece.n; ++i) assign(out + i, f(x[i * sx], y[i * sy], z[i * sz]));
  }
}

}  // namespace cpu_simd::TL_ISA
