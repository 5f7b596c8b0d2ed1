// tl_transpose_WIDTH for elements of w1, w2, w4 or w8 bytes. Selected by TL_SELECT_TYPE.
#include "transpose.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_WIDTH_w1 uint8_t
#define TL_WIDTH_w2 uint16_t
#define TL_WIDTH_w4 uint32_t
#define TL_WIDTH_w8 uint64_t

#define TL_TRANSPOSE(width)                                                    \
  TL_KERNEL(TL_JOIN(tl_transpose_, width), kernels::TransposeArguments, 256,   \
            kernels::transpose<TL_JOIN(TL_WIDTH_, width)>(arguments))

#if defined(TL_SELECT_TYPE)
TL_TRANSPOSE(TL_SELECT_TYPE)
#else
TL_TRANSPOSE(w1) TL_TRANSPOSE(w2) TL_TRANSPOSE(w4) TL_TRANSPOSE(w8)
#endif
