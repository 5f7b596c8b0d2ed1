// tl_matmul_IN_OUT_FORM: products of matrices, strided and in batches. Selected by TL_SELECT_TYPE and TL_SELECT_OUT
// (dtypes of the operands and of the output), TL_SELECT_FORM (large, small, columns, rows, finish) and
// TL_SELECT_ACTIVATION (a map of ops.def, or none).
#include "matmul_row.cuh"
#include "matmul_tile.cuh"

// Lists of instances are laid out by hand.
// clang-format off

#define TL_MATMUL(in, out, form, blocks, ...) \
  TL_DENSE_KERNEL(TL_JOIN5(tl_matmul_, in, _, out, form), kernels::MatmulArguments, 256, blocks, __VA_ARGS__)
#define TL_FORM_large(in, out)  \
  TL_MATMUL(in, out, _large, 2,  \
            kernels::Matmul<TL_ELEMENT(in), TL_ELEMENT(out), 128, 128, 8, 8, 8>::tiles(arguments))
#define TL_FORM_small(in, out)  \
  TL_MATMUL(in, out, _small, 2,  \
            kernels::Matmul<TL_ELEMENT(in), TL_ELEMENT(out), 64, 64, 16, 4, 4>::tiles(arguments))
#define TL_FORM_columns(in, out) \
  TL_MATMUL(in, out, _columns, 4, kernels::RowProduct<TL_ELEMENT(in), TL_ELEMENT(out)>::columns(arguments))
#define TL_FORM_rows(in, out) \
  TL_MATMUL(in, out, _rows, 4, kernels::RowProduct<TL_ELEMENT(in), TL_ELEMENT(out)>::rows(arguments))
#define TL_FORM_finish(in, out) \
  TL_MATMUL(in, out, _finish, 4, kernels::finish_matmul<TL_ELEMENT(in), TL_ELEMENT(out)>(arguments))

#if defined(TL_SELECT_TYPE)
TL_JOIN(TL_FORM_, TL_SELECT_FORM)(TL_SELECT_TYPE, TL_SELECT_OUT)
#else
// float64 and int64 have no large tile: its sums wouldn't fit into the registers.
#define TL_ANY(in, out) \
  TL_FORM_small(in, out) TL_FORM_columns(in, out) TL_FORM_rows(in, out) TL_FORM_finish(in, out)
#define TL_SHORT(in, out) TL_FORM_large(in, out) TL_ANY(in, out)
#define TL_LONG(type) TL_ANY(type, type)
TL_SHORT(f32, f32) TL_SHORT(f16, f16) TL_SHORT(f16, f32) TL_SHORT(bf16, bf16) TL_SHORT(bf16, f32)
TL_LONG(f64) TL_LONG(i64)
#undef TL_ANY
#undef TL_SHORT
#undef TL_LONG
#endif

#undef TL_FORM_large
#undef TL_FORM_small
#undef TL_FORM_columns
#undef TL_FORM_rows
#undef TL_FORM_finish
