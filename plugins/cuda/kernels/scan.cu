// tl_scan_FN_TYPE_FORM: running sum, prod, max and min. Selected by TL_SELECT_FN, TL_SELECT_TYPE and TL_SELECT_FORM
// (lines, blocks).
#include "scan.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_SCAN(fn, type, form)                                                                  \
  TL_KERNEL(TL_JOIN(TL_JOIN4(tl_scan_, fn, _, type), TL_JOIN(_, form)), kernels::ScanArguments, 256, \
            kernels::Scan<kernels::TL_JOIN(reduce_, fn)<TL_ELEMENT(type)>, TL_ELEMENT(type)>::form(arguments))

#if defined(TL_SELECT_FN)
TL_SCAN(TL_SELECT_FN, TL_SELECT_TYPE, TL_SELECT_FORM)
#else
#define TL_INSTANCE(fn, type) TL_SCAN(fn, type, lines) TL_SCAN(fn, type, blocks)
TL_TYPES_number(TL_INSTANCE, sum) TL_TYPES_number(TL_INSTANCE, prod)
TL_TYPES_number(TL_INSTANCE, max) TL_TYPES_number(TL_INSTANCE, min)
#undef TL_INSTANCE
#endif
