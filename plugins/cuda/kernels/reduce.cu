// tl_reduce_FN_TYPE_FORM: the reductions of ops.def. Selected by TL_SELECT_FN, TL_SELECT_TYPE and TL_SELECT_FORM
// (rows, warps, columns, finish).
#include "reduce.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_REDUCE_KERNEL(fn, type, form, function)                                              \
  TL_KERNEL(TL_JOIN5(tl_reduce_, fn, _, type, form), kernels::ReduceArguments, 256,             \
            kernels::Reduction<kernels::TL_JOIN(reduce_, fn)<TL_ELEMENT(type)>, TL_ELEMENT(type)>::function)
#define TL_FORM_rows(fn, type) TL_REDUCE_KERNEL(fn, type, _rows, rows<true>(arguments))
#define TL_FORM_warps(fn, type) TL_REDUCE_KERNEL(fn, type, _warps, rows<false>(arguments))
#define TL_FORM_columns(fn, type) TL_REDUCE_KERNEL(fn, type, _columns, columns(arguments))
#define TL_FORM_finish(fn, type) TL_REDUCE_KERNEL(fn, type, _finish, finish(arguments))

#if defined(TL_SELECT_FN)
TL_JOIN(TL_FORM_, TL_SELECT_FORM)(TL_SELECT_FN, TL_SELECT_TYPE)
#else
#define TL_INSTANCE(fn, type) \
  TL_FORM_rows(fn, type) TL_FORM_warps(fn, type) TL_FORM_columns(fn, type) TL_FORM_finish(fn, type)
#define TL_REDUCE(id, fn, domain, ...) TL_TYPES_##domain(TL_INSTANCE, fn)
#include <torchlight/ops.def>
#undef TL_INSTANCE
#endif

#undef TL_FORM_rows
#undef TL_FORM_warps
#undef TL_FORM_columns
#undef TL_FORM_finish
