// tl_zip_FN_TYPE_FORM: output = fn(x, y[, z]; a, b), for the zips of ops.def; TYPE is that of y. Selected by
// TL_SELECT_FN, TL_SELECT_TYPE and TL_SELECT_FORM (flat, strided).
#include "elementwise.cuh"
#include "zip_functions.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_INSTANCE(fn, type)                                                                     \
  TL_ELEMENTWISE(TL_JOIN4(tl_zip_, fn, _, type), kernels::TL_JOIN(zip_, fn),                      \
                 kernels::TL_JOIN(zip_, fn)::First<TL_ELEMENT(type)>, TL_ELEMENT(type),           \
                 kernels::TL_JOIN(zip_, fn)::Third<TL_ELEMENT(type)>, TL_ELEMENT(type))

#if defined(TL_SELECT_FN)
TL_INSTANCE(TL_SELECT_FN, TL_SELECT_TYPE)
#else
#define TL_ZIP(id, fn, domain, ...) TL_TYPES_##domain(TL_INSTANCE, fn)
#include <torchlight/ops.def>
#endif

#undef TL_INSTANCE
