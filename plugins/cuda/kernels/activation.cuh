#pragma once

#include "map_functions.cuh"

/// A map without parameters, by its id, at the end of a matmul. With TL_SELECT_ACTIVATION (a map's name, or none)
/// it is that one; else it is called, so that the registers of all of them don't count in the kernel's loop.
namespace kernels {

struct map_none {
  template <class T> static TL_DEVICE T apply(T x, None, None, T, T) { return x; }
};

#if defined(TL_SELECT_ACTIVATION)

template <class T> TL_DEVICE T activate(uint32_t, T x) {
  return TL_JOIN(map_, TL_SELECT_ACTIVATION)::apply(x, None(), None(), T(), T());
}

#elif TL_ON_DEVICE

#define TL_ACTIVATION_0(id, fn, domain) TL_ACTIVATION_OF_##domain(id, fn)
#define TL_ACTIVATION_1(id, fn, domain)
#define TL_ACTIVATION_2(id, fn, domain)
#define TL_ACTIVATION_OF_any(id, fn)
#define TL_ACTIVATION_OF_predicate(id, fn)
#define TL_ACTIVATION_CASE(id, fn) \
  case id:                         \
    return map_##fn::apply(x, None(), None(), x, x);
#define TL_ACTIVATION_OF_number(id, fn) TL_ACTIVATION_CASE(id, fn)

#define TL_ACTIVATION_OF_real(id, fn) TL_ACTIVATION_CASE(id, fn)
template <class T> __device__ __noinline__ T activation(uint32_t fn, T x) {
  switch (fn) {
#define TL_MAP(id, fn, domain, params, ...) TL_ACTIVATION_##params(id, fn, domain)
#include <torchlight/ops.def>
    default: return x;
  }
}
#undef TL_ACTIVATION_OF_real

#define TL_ACTIVATION_OF_real(id, fn)
template <> __device__ __noinline__ Int activation(uint32_t fn, Int x) {
  switch (fn) {
#define TL_MAP(id, fn, domain, params, ...) TL_ACTIVATION_##params(id, fn, domain)
#include <torchlight/ops.def>
    default: return x;
  }
}

#undef TL_ACTIVATION_0
#undef TL_ACTIVATION_1
#undef TL_ACTIVATION_2
#undef TL_ACTIVATION_OF_any
#undef TL_ACTIVATION_OF_predicate
#undef TL_ACTIVATION_CASE
#undef TL_ACTIVATION_OF_number
#undef TL_ACTIVATION_OF_real

template <class T> TL_DEVICE T activate(uint32_t fn, T x) { return fn == 0 ? x : activation(fn, x); }

#endif

}  // namespace kernels
