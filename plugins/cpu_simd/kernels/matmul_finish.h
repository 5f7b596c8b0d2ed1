#pragma once

#include "kernels/elementwise.h"
#include "kernels/halves.h"
#include "kernels/registers.h"
#include "matmul_plan.h"

/// What follows the sums of a finished piece of the output, while it is still in the cache: bias and
/// activation, and for 16-bit outputs scaling and conversion.
namespace cpu_simd::TL_ISA {

/// A stored element in the type that is computed with, and back.
template <class T, class S> CPU_SIMD_INLINE T widen(S x) noexcept {
  if constexpr (std::is_same_v<T, S>)
    return x;
  else
    return to_float(x);
}
CPU_SIMD_INLINE void narrow(float x, float& to) noexcept { to = x; }
CPU_SIMD_INLINE void narrow(double x, double& to) noexcept { to = x; }
CPU_SIMD_INLINE void narrow(float x, Half& to) noexcept { to = to_float16(x); }
CPU_SIMD_INLINE void narrow(float x, BHalf& to) noexcept { to = to_bfloat16(x); }

/// The elementwise kernel of an activation, or NULL for none.
inline Kernel find_activation(uint32_t fn, Type type) noexcept {
  if (fn == TL_FN_NONE) return nullptr;
  for (auto find : {find_map_arithmetic, find_map_function, find_map_activation})
    if (const Kernel kernel = find(fn, type)) return kernel;
  return nullptr;
}

/// In place, n values side by side.
inline void activate(Kernel activation, void* values, int64_t n) noexcept {
  Piece piece{};
  piece.out = static_cast<char*>(values);
  piece.n = n;
  piece.in[0] = piece.out;
  piece.step[0] = 1;
  const double params[TL_MAX_PARAMS] = {};
  activation(piece, params);
}

/// Finishes pieces of the output of one batch entry. T: the type of the sums, O: of the output.
template <class T, class O> class Finisher {
 public:
  Finisher(const MatmulProblem& p, int64_t entry) noexcept
      : p_(p),
        out_(reinterpret_cast<O*>(p.out.data) + batch_offset(p, p.out, entry)),
        activation_(find_activation(p.activation, sizeof(T) == 4 ? Type::float32 : Type::float64)) {
    if (p.has_bias) bias_ = reinterpret_cast<const O*>(p.bias.data) + batch_offset(p, p.bias, entry);
  }

  CPU_SIMD_INLINE O* out(int64_t i, int64_t j) const noexcept {
    return out_ + i * p_.out.row + j * p_.out.column;
  }

  /// The piece that starts at (i, j). Its sums are in the output already, or, where that is of a narrower
  /// type, at `sums`.
  void operator()(int64_t i, int64_t j, int64_t rows, int64_t columns, const T* sums,
                  int64_t sums_row) const noexcept {
    if (std::is_same_v<T, O> && !bias_ && !activation_) return;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; c += buffered)
        finish(i + r, j + c, least(buffered, columns - c), sums + r * sums_row + c);
  }

 private:
  static constexpr int64_t buffered = 64;

  CPU_SIMD_APART void finish(int64_t i, int64_t j, int64_t n, const T* sums) const noexcept {
    T buffer[buffered];
    O* const out = this->out(i, j);
    const int64_t step = p_.out.column;
    T* values = buffer;
    if constexpr (std::is_same_v<T, O>) {
      if (step == 1)
        values = out;
      else
        for (int64_t c = 0; c < n; ++c) buffer[c] = out[c * step];
    } else {
      scale(sums, out, n, buffer);
    }
    if (bias_) add_bias(bias_ + i * p_.bias.row + j * p_.bias.column, values, n);
    if (activation_) activate(activation_, values, n);
    if (values == buffer)
      for (int64_t c = 0; c < n; ++c) narrow(buffer[c], out[c * step]);
  }

  void scale(const T* sums, const O* out, int64_t n, T* values) const noexcept {
    const T alpha = static_cast<T>(p_.alpha), beta = static_cast<T>(p_.beta);
    for (int64_t c = 0; c < n; ++c) values[c] = alpha * sums[c];
    if (beta == T(0)) return;
    for (int64_t c = 0; c < n; ++c) values[c] += beta * widen<T>(out[c * p_.out.column]);
  }

  void add_bias(const O* bias, T* values, int64_t n) const noexcept {
    const int64_t step = p_.bias.column;
    if (step == 1)
      for (int64_t c = 0; c < n; ++c) values[c] += widen<T>(bias[c]);
    else
      for (int64_t c = 0; c < n; ++c) values[c] += widen<T>(bias[c * step]);
  }

  const MatmulProblem& p_;
  O* const out_;
  const O* bias_ = nullptr;
  const Kernel activation_;
};

}  // namespace cpu_simd::TL_ISA
