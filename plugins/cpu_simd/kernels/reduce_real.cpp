#include "kernels/reduce_driver.h"

namespace cpu_simd::TL_ISA {
namespace {

template <class T> Reducer find(uint32_t fn) noexcept {
  switch (fn) {
    case TL_REDUCE_sum: return reduce_with<SumOf<T>>;
    case TL_REDUCE_prod: return reduce_with<Simple<T, T, double, Multiply<T>>>;
    case TL_REDUCE_max: return reduce_with<ExtremeOf<T, Largest<T>>>;
    case TL_REDUCE_min: return reduce_with<ExtremeOf<T, Smallest<T>>>;
    default: return nullptr;
  }
}

}  // namespace

Reducer find_reduce_real(uint32_t fn, const tl_dtype& dtype) noexcept {
  if (dtype.code != TL_FLOAT) return nullptr;
  return dtype.bits == 32 ? find<float>(fn) : dtype.bits == 64 ? find<double>(fn) : nullptr;
}

}  // namespace cpu_simd::TL_ISA
