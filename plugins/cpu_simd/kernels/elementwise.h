#pragma once

#include "kernels/loops.h"
#include "shared.h"

/// How functors become kernels. A functor is written as one line,
///
///   CPU_SIMD_MAP(AddScalar, x + a)
///
/// x, y and z are registers of T, or for int64 and bool one value each; a and b are the call's first two
/// parameters in the same form.
namespace cpu_simd::TL_ISA {

enum class Type { float32, float64, int64, boolean };

CPU_SIMD_INLINE Type type_of(tl_dtype dtype) noexcept {
  switch (dtype_key(dtype)) {
    case key_float32: return Type::float32;
    case key_float64: return Type::float64;
    case key_int64: return Type::int64;
    default: return Type::boolean;
  }
}

/// The kernel of each group for a function and the dtype of its (last) input; NULL if it has none.
Kernel find_map_arithmetic(uint32_t fn, Type type) noexcept;
Kernel find_map_predicate(uint32_t fn, Type type) noexcept;
Kernel find_map_function(uint32_t fn, Type type) noexcept;
Kernel find_map_activation(uint32_t fn, Type type) noexcept;
Kernel find_zip_arithmetic(uint32_t fn, Type type) noexcept;
Kernel find_zip_predicate(uint32_t fn, Type type) noexcept;
Kernel find_zip_gradient(uint32_t fn, Type type) noexcept;
Kernel find_map_pow(uint32_t fn, Type type) noexcept;
Kernel find_zip_pow(Type type) noexcept;
Kernel find_copy(tl_dtype from, tl_dtype to) noexcept;
Kernel find_fill(Type type) noexcept;

/// arange and eye, whose elements depend on where they stand.
void fill_arange(const tl_view& output, double start, double step) noexcept;
void fill_eye(const tl_view& output, double diagonal) noexcept;

// No noexcept: with the attribute, g++ and clang accept it in different places.
#define CPU_SIMD_FUNCTOR(name, arguments, ...)                                         \
  struct name {                                                                        \
    template <class T>                                                                 \
    CPU_SIMD_INLINE static auto make([[maybe_unused]] const double* params) noexcept { \
      return [ a = constant<T>(params[0]), b = constant<T>(params[1]) ] arguments      \
          __attribute__((always_inline)) {                                             \
        (void)a, (void)b;                                                              \
        return __VA_ARGS__;                                                            \
      };                                                                               \
    }                                                                                  \
  };
#define CPU_SIMD_MAP(name, ...) CPU_SIMD_FUNCTOR(name, (auto x), __VA_ARGS__)
#define CPU_SIMD_ZIP(name, ...) CPU_SIMD_FUNCTOR(name, (auto x, auto y), __VA_ARGS__)
#define CPU_SIMD_ZIP3(name, ...) CPU_SIMD_FUNCTOR(name, (auto x, auto y, auto z), __VA_ARGS__)

template <class F, class T> void map_kernel(const Piece& piece, const double* params) noexcept {
  const auto f = F::template make<T>(params);
  if constexpr (is_real<T>)
    vector_loop<T>(piece, f, Source<T>(piece, 0));
  else
    value_loop<T, T>(piece, f);
}

/// For long functors: one copy of the code in the loop instead of two.
template <class F, class T> void compact_map_kernel(const Piece& piece, const double* params) noexcept {
  compact_loop<T>(piece, F::template make<T>(params), Source<T>(piece, 0));
}

/// Of one input, giving bool.
template <class F, class T> void test_kernel(const Piece& piece, const double* params) noexcept {
  const auto f = F::template make<T>(params);
  if constexpr (is_real<T>)
    vector_loop<T>(piece, f, Source<T>(piece, 0));
  else
    value_loop<Bool, T>(piece, f);
}

template <class F, class T> void zip_kernel(const Piece& piece, const double* params) noexcept {
  const auto f = F::template make<T>(params);
  if constexpr (is_real<T>)
    vector_loop<T>(piece, f, Source<T>(piece, 0), Source<T>(piece, 1));
  else
    value_loop_2<T, T>(piece, f);
}

template <class F, class T> void compact_zip_kernel(const Piece& piece, const double* params) noexcept {
  compact_loop<T>(piece, F::template make<T>(params), Source<T>(piece, 0), Source<T>(piece, 1));
}

/// Of two inputs, giving bool.
template <class F, class T> void zip_test_kernel(const Piece& piece, const double* params) noexcept {
  const auto f = F::template make<T>(params);
  if constexpr (is_real<T>)
    vector_loop<T>(piece, f, Source<T>(piece, 0), Source<T>(piece, 1));
  else
    value_loop_2<Bool, T>(piece, f);
}

template <class F, class T> void zip3_kernel(const Piece& piece, const double* params) noexcept {
  const auto f = F::template make<T>(params);
  if constexpr (is_real<T>)
    vector_loop<T>(piece, f, Source<T>(piece, 0), Source<T>(piece, 1), Source<T>(piece, 2));
  else
    value_loop_3<T, T, T>(piece, f);
}

/// Kernels by dtype, as the domains of ops.def name them; NULL where a domain lacks the dtype.
struct Choice {
  Kernel float32, float64, int64, boolean;

  Kernel operator()(Type type) const noexcept {
    switch (type) {
      case Type::float32: return float32;
      case Type::float64: return float64;
      case Type::int64: return int64;
      default: return boolean;
    }
  }
};

template <class F>
constexpr Choice real_map{map_kernel<F, float>, map_kernel<F, double>, nullptr, nullptr};
template <class F>
constexpr Choice long_map{compact_map_kernel<F, float>, compact_map_kernel<F, double>, nullptr,
                          nullptr};
template <class F>
constexpr Choice number_map{map_kernel<F, float>, map_kernel<F, double>, map_kernel<F, Int>, nullptr};
template <class F>
constexpr Choice predicate_map{test_kernel<F, float>, test_kernel<F, double>, test_kernel<F, Int>,
                               test_kernel<F, Bool>};
template <class F>
constexpr Choice real_zip{zip_kernel<F, float>, zip_kernel<F, double>, nullptr, nullptr};
template <class F>
constexpr Choice long_zip{compact_zip_kernel<F, float>, compact_zip_kernel<F, double>, nullptr,
                          nullptr};
template <class F>
constexpr Choice number_zip{zip_kernel<F, float>, zip_kernel<F, double>, zip_kernel<F, Int>, nullptr};
template <class F>
constexpr Choice predicate_zip{zip_test_kernel<F, float>, zip_test_kernel<F, double>,
                               zip_test_kernel<F, Int>, zip_test_kernel<F, Bool>};
template <class F>
constexpr Choice number_zip3{zip3_kernel<F, float>, zip3_kernel<F, double>, zip3_kernel<F, Int>,
                             nullptr};

}  // namespace cpu_simd::TL_ISA
