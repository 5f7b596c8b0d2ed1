// tl_map_fill_TYPE_FORM (flat, strided), tl_map_arange_TYPE and tl_map_eye_TYPE: the maps without an input.
// Selected by TL_SELECT_FN, TL_SELECT_TYPE and, for fill, TL_SELECT_FORM.
#include "create.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_CREATE_fill(type)                                                                           \
  TL_ELEMENTWISE(TL_JOIN(tl_map_fill_, type), kernels::map_fill, kernels::None, kernels::None, kernels::None, \
                 TL_ELEMENT(type))
#define TL_CREATE_arange(type)                                          \
  TL_KERNEL(TL_JOIN(tl_map_arange_, type), kernels::CreateArguments, 256, \
            kernels::Create<TL_ELEMENT(type)>::arange(arguments))
#define TL_CREATE_eye(type)                                          \
  TL_KERNEL(TL_JOIN(tl_map_eye_, type), kernels::CreateArguments, 256, \
            kernels::Create<TL_ELEMENT(type)>::eye(arguments))

#if defined(TL_SELECT_FN)
TL_JOIN(TL_CREATE_, TL_SELECT_FN)(TL_SELECT_TYPE)
#else
#define TL_INSTANCES(type) TL_CREATE_fill(type) TL_CREATE_arange(type) TL_CREATE_eye(type)
TL_INSTANCES(f32) TL_INSTANCES(f64) TL_INSTANCES(i64) TL_INSTANCES(b8)
#undef TL_INSTANCES
#endif
