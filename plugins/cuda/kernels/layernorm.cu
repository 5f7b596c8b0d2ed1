// tl_layernorm_forward_TYPE_FORM, tl_layernorm_backward_TYPE_FORM (the input's gradient; the forms are those of
// rows.cuh) and tl_layernorm_sums_TYPE_FORM (pieces, finish: those of gamma and beta). Selected by TL_SELECT_WAY
// (forward, backward, sums), TL_SELECT_TYPE and TL_SELECT_FORM.
#include "layernorm_gradient.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_ARGUMENTS_forward kernels::LayernormArguments
#define TL_ARGUMENTS_backward kernels::LayernormGradientArguments
#define TL_NAME(way, type, form) TL_JOIN(TL_JOIN4(tl_layernorm_, way, _, type), TL_JOIN(_, form))
#define TL_LAYERNORM(way, type, form, is_block, items)                                              \
  TL_KERNEL(TL_NAME(way, type, form), TL_JOIN(TL_ARGUMENTS_, way), is_block ? 1024 : 256,           \
            kernels::TL_JOIN(layernorm_, way)<TL_ELEMENT(type), is_block, items>(arguments))
#define TL_SUMS(type, form)                                                  \
  TL_KERNEL(TL_NAME(sums, type, form), kernels::LayernormSumsArguments, 256, \
            kernels::LayernormSums<TL_ELEMENT(type)>::form(arguments))

#if defined(TL_SELECT_WAY)
#define TL_INSTANCE(form, is_block, items) TL_LAYERNORM(TL_SELECT_WAY, TL_SELECT_TYPE, form, is_block, items)
#define TL_WAY_forward(form) TL_JOIN(TL_ROW_FORM_, form)(TL_INSTANCE)
#define TL_WAY_backward(form) TL_JOIN(TL_ROW_FORM_, form)(TL_INSTANCE)
#define TL_WAY_sums(form) TL_SUMS(TL_SELECT_TYPE, form)
TL_JOIN(TL_WAY_, TL_SELECT_WAY)(TL_SELECT_FORM)
#undef TL_INSTANCE
#else
#define TL_INSTANCE(form, is_block, items)                                                                \
  TL_LAYERNORM(forward, f32, form, is_block, items) TL_LAYERNORM(forward, f64, form, is_block, items)     \
  TL_LAYERNORM(backward, f32, form, is_block, items) TL_LAYERNORM(backward, f64, form, is_block, items)
TL_ROW_FORMS(TL_INSTANCE)
TL_SUMS(f32, pieces) TL_SUMS(f32, finish) TL_SUMS(f64, pieces) TL_SUMS(f64, finish)
#undef TL_INSTANCE
#endif

#undef TL_NAME
