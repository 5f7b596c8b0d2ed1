// tl_softmax_forward_TYPE_FORM and tl_softmax_backward_TYPE_FORM; the forms are those of rows.cuh. Selected by
// TL_SELECT_WAY (forward, backward), TL_SELECT_TYPE and TL_SELECT_FORM.
#include "softmax.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_SOFTMAX(way, type, form, is_block, items)                                                \
  TL_KERNEL(TL_JOIN(TL_JOIN4(tl_softmax_, way, _, type), TL_JOIN(_, form)), kernels::SoftmaxArguments, \
            is_block ? 1024 : 256,                                                                  \
            kernels::TL_JOIN(softmax_, way)<TL_ELEMENT(type), is_block, items>(arguments))

#if defined(TL_SELECT_WAY)
#define TL_INSTANCE(form, is_block, items) TL_SOFTMAX(TL_SELECT_WAY, TL_SELECT_TYPE, form, is_block, items)
TL_JOIN(TL_ROW_FORM_, TL_SELECT_FORM)(TL_INSTANCE)
#undef TL_INSTANCE
#else
#define TL_INSTANCE(form, is_block, items)                                                              \
  TL_SOFTMAX(forward, f32, form, is_block, items) TL_SOFTMAX(forward, f64, form, is_block, items)       \
  TL_SOFTMAX(backward, f32, form, is_block, items) TL_SOFTMAX(backward, f64, form, is_block, items)
TL_ROW_FORMS(TL_INSTANCE)
#undef TL_INSTANCE
#endif
