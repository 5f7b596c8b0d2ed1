// launch_attn_softmax and launch_attn_softmax_bw, for TORCHLIGHT_CUDA_KERNEL_DIR and for any program that calls
// launchers of this form. Build it in this folder:
//   nvcc -O3 --shared -o softmax_kernel.so softmax_kernel.cu -Xcompiler -fPIC -std=c++14
#include "launcher.cuh"

#include "../kernels/softmax.cuh"

#define TL_FORWARD(form, is_block, items)                                          \
  TL_KERNEL(attn_softmax_##form, kernels::SoftmaxArguments, is_block ? 1024 : 256, \
            kernels::softmax_forward<float, is_block, items>(arguments))
#define TL_BACKWARD(form, is_block, items)                                            \
  TL_KERNEL(attn_softmax_bw_##form, kernels::SoftmaxArguments, is_block ? 1024 : 256, \
            kernels::softmax_backward<float, is_block, items>(arguments))
TL_ROW_FORMS(TL_FORWARD)
TL_ROW_FORMS(TL_BACKWARD)

namespace {

#define TL_FORWARD_HANDLE(form, is_block, items) reinterpret_cast<const void*>(attn_softmax_##form),
#define TL_BACKWARD_HANDLE(form, is_block, items) reinterpret_cast<const void*>(attn_softmax_bw_##form),

void run(drop_in::Call& call, bool backward, const kernels::SoftmaxArguments& arguments) {
  const void* const forward_kernel[] = {TL_ROW_FORMS(TL_FORWARD_HANDLE)};
  const void* const backward_kernel[] = {TL_ROW_FORMS(TL_BACKWARD_HANDLE)};
  const kernels::RowForm form = kernels::row_form(arguments.columns, true);
  call.launch((backward ? backward_kernel : forward_kernel)[form.form],
              (arguments.rows.count + form.rows - 1) / form.rows, dim3(form.threads), arguments);
}

/// In place, each of x and out a row after the other.
kernels::SoftmaxArguments arguments_of(float* x, const float* second, int64_t columns) {
  kernels::SoftmaxArguments g = {};
  g.x = g.out = x;
  g.mask = second;
  g.scale = 1;
  g.columns = columns;
  for (int64_t& stride : g.column_stride) stride = 1;
  return g;
}

}  // namespace

/// Rows of to_len numbers become their softmax, after mask[batch, to_len] is added, or no mask where it is NULL.
/// mask_future: row i of from_len looks at columns up to i.
extern "C" void launch_attn_softmax(float* inp_inout, const float* mask, int batch, int nhead,
                                    int from_len, int to_len, bool mask_future, cudaStream_t stream) {
  const int64_t of_batch = static_cast<int64_t>(nhead) * from_len, columns = to_len;
  const int64_t count = batch * of_batch * columns;
  if (count <= 0) return;
  drop_in::Call call("launch_attn_softmax", stream);
  float* const x = call.room(count, inp_inout);
  const float* const added = mask ? call.room(batch * columns, mask) : nullptr;
  kernels::SoftmaxArguments g = arguments_of(x, added, columns);
  g.causal = mask_future;
  g.queries = from_len;
  g.rows = drop_in::Loops<3>()
               .add(batch, {of_batch * columns, columns, of_batch * columns})
               .add(of_batch, {columns, 0, columns})
               .nest();
  run(call, false, g);
  call.fetch(inp_inout, x, count);
}

/// grad becomes soft * (grad - Σ grad * soft).
extern "C" void launch_attn_softmax_bw(float* grad_inout, const float* soft, int rows, int cols,
                                       cudaStream_t stream) {
  const int64_t columns = cols, count = rows * columns;
  if (count <= 0) return;
  drop_in::Call call("launch_attn_softmax_bw", stream);
  float* const grad = call.room(count, grad_inout);
  kernels::SoftmaxArguments g = arguments_of(grad, call.room(count, soft), columns);
  g.rows = drop_in::Loops<3>().add(rows, {columns, columns, columns}).nest();
  run(call, true, g);
  call.fetch(grad_inout, grad, count);
}
