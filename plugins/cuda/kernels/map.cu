// tl_map_FN_TYPE_FORM: output = fn(x; a, b), for the maps of ops.def but copy (copy.cu) and those without an
// input (create.cu). Selected by TL_SELECT_FN, TL_SELECT_TYPE and TL_SELECT_FORM (flat, strided).
#include "elementwise.cuh"
#include "map_functions.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_INSTANCE(fn, type)                                                                            \
  TL_ELEMENTWISE(TL_JOIN4(tl_map_, fn, _, type), kernels::TL_JOIN(map_, fn), TL_ELEMENT(type), kernels::None, \
                 kernels::None, TL_ELEMENT(type))

#if defined(TL_SELECT_FN)
TL_INSTANCE(TL_SELECT_FN, TL_SELECT_TYPE)
#else
#define TL_MAP(id, fn, domain, ...) TL_TYPES_##domain(TL_INSTANCE, fn)
#include <torchlight/ops.def>
#endif

#undef TL_INSTANCE
