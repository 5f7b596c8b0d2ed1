#include "kernels/reduce_driver.h"

namespace cpu_simd::TL_ISA {

Reducer find_reduce_int(uint32_t fn, const tl_dtype& dtype) noexcept {
  if (dtype.code != TL_INT || dtype.bits != 64) return nullptr;
  switch (fn) {
    case TL_REDUCE_sum: return reduce_with<Simple<Int, Int, Int, IntAdd>>;
    case TL_REDUCE_prod: return reduce_with<Simple<Int, Int, Int, IntMultiply>>;
    case TL_REDUCE_max: return reduce_with<Simple<Int, Int, Int, IntLargest>>;
    case TL_REDUCE_min: return reduce_with<Simple<Int, Int, Int, IntSmallest>>;
    default: return nullptr;
  }
}

namespace {

template <class T> Reducer find_truth(uint32_t fn) noexcept {
  if (fn == TL_REDUCE_any) return reduce_with<Simple<T, Bool, uint8_t, AnyTrue<T>>>;
  if (fn == TL_REDUCE_all) return reduce_with<Simple<T, Bool, uint8_t, AllTrue<T>>>;
  return nullptr;
}

}  // namespace

Reducer find_reduce_truth(uint32_t fn, const tl_dtype& dtype) noexcept {
  if (dtype.code == TL_BOOL) return find_truth<Bool>(fn);
  if (dtype.code == TL_INT && dtype.bits == 64) return find_truth<Int>(fn);
  if (dtype.code == TL_FLOAT) return dtype.bits == 32 ? find_truth<float>(fn) : find_truth<double>(fn);
  return nullptr;
}

}  // namespace cpu_simd::TL_ISA
