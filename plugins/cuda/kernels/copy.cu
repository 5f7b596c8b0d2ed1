// tl_copy_FROM_TO_FORM: ops.def's copy between all pairs of dtypes. Selected by TL_SELECT_FROM, TL_SELECT_TO and
// TL_SELECT_FORM (flat, strided).
#include "convert.cuh"
#include "elementwise.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_INSTANCE(from, to)                                                                      \
  TL_ELEMENTWISE(TL_JOIN4(tl_copy_, from, _, to), kernels::copy_to<TL_ELEMENT(to)>, TL_ELEMENT(from), \
                 kernels::None, kernels::None, float)

#if defined(TL_SELECT_FROM)
TL_INSTANCE(TL_SELECT_FROM, TL_SELECT_TO)
#else
#define TL_FROM(type)                                                                           \
  TL_INSTANCE(type, f32) TL_INSTANCE(type, f64) TL_INSTANCE(type, i64) TL_INSTANCE(type, i32)   \
  TL_INSTANCE(type, u8) TL_INSTANCE(type, b8) TL_INSTANCE(type, f16) TL_INSTANCE(type, bf16)
TL_FROM(f32) TL_FROM(f64) TL_FROM(i64) TL_FROM(i32) TL_FROM(u8) TL_FROM(b8) TL_FROM(f16) TL_FROM(bf16)
#undef TL_FROM
#endif

#undef TL_INSTANCE
