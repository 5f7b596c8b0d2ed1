// tl_check_index; tl_gather_WIDTH for elements of w1, w2, w4, w8 or w16 bytes; tl_scatter_add_TYPE_FORM (lanes,
// list). Selected by TL_SELECT_OP (check, gather, scatter_add), TL_SELECT_TYPE (the width for gather) and
// TL_SELECT_FORM.
#include "gather.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_WIDTH_w1 uint8_t
#define TL_WIDTH_w2 uint16_t
#define TL_WIDTH_w4 uint32_t
#define TL_WIDTH_w8 uint64_t
#define TL_WIDTH_w16 uint4

#define TL_CHECK TL_KERNEL(tl_check_index, kernels::CheckIndexArguments, 256, kernels::check_index(arguments))
#define TL_GATHER(width)                                                \
  TL_KERNEL(TL_JOIN(tl_gather_, width), kernels::IndexArguments, 256,   \
            kernels::gather<TL_JOIN(TL_WIDTH_, width)>(arguments))
#define TL_SCATTER_ADD(type, form)                                                                    \
  TL_KERNEL(TL_JOIN4(tl_scatter_add_, type, _, form), kernels::IndexArguments, 256,                   \
            kernels::ScatterAdd<TL_ELEMENT(type)>::form(arguments))

#if defined(TL_SELECT_OP)
#define TL_OP_check(type, form) TL_CHECK
#define TL_OP_gather(type, form) TL_GATHER(type)
#define TL_OP_scatter_add(type, form) TL_SCATTER_ADD(type, form)
TL_JOIN(TL_OP_, TL_SELECT_OP)(TL_SELECT_TYPE, TL_SELECT_FORM)
#else
TL_CHECK
TL_GATHER(w1) TL_GATHER(w2) TL_GATHER(w4) TL_GATHER(w8) TL_GATHER(w16)
TL_SCATTER_ADD(f32, lanes) TL_SCATTER_ADD(f64, lanes) TL_SCATTER_ADD(i64, lanes)
TL_SCATTER_ADD(f32, list) TL_SCATTER_ADD(f64, list) TL_SCATTER_ADD(i64, list)
#endif
