// launch_layernorm and launch_layernorm_bw, for TORCHLIGHT_CUDA_KERNEL_DIR and for any program that calls launchers
// of this form. Build it in this folder:
//   nvcc -O3 --shared -o layernorm_kernel.so layernorm_kernel.cu -Xcompiler -fPIC -std=c++14
// eps is 1e-8, and `vars` holds the variance without it.
#include "launcher.cuh"

#include <vector>

#include "../kernels/layernorm_gradient.cuh"

#define TL_FORWARD(form, is_block, items)                                         \
  TL_KERNEL(layernorm_##form, kernels::LayernormArguments, is_block ? 1024 : 256, \
            kernels::layernorm_forward<float, is_block, items>(arguments))
#define TL_BACKWARD(form, is_block, items)                                                   \
  TL_KERNEL(layernorm_bw_##form, kernels::LayernormGradientArguments, is_block ? 1024 : 256, \
            kernels::layernorm_backward<float, is_block, items>(arguments))
TL_ROW_FORMS(TL_FORWARD)
TL_ROW_FORMS(TL_BACKWARD)
TL_KERNEL(layernorm_bw_pieces, kernels::LayernormSumsArguments, 256,
          kernels::LayernormSums<float>::pieces(arguments))
TL_KERNEL(layernorm_bw_finish, kernels::LayernormSumsArguments, 256,
          kernels::LayernormSums<float>::finish(arguments))

namespace {

constexpr double eps = 1e-8;

#define TL_FORWARD_HANDLE(form, is_block, items) reinterpret_cast<const void*>(layernorm_##form),
#define TL_BACKWARD_HANDLE(form, is_block, items) reinterpret_cast<const void*>(layernorm_bw_##form),

template <class Arguments>
void run_rows(drop_in::Call& call, const void* const (&kernel)[kernels::row_forms],
              const Arguments& arguments) {
  const kernels::RowForm form = kernels::row_form(arguments.columns.count, true);
  call.launch(kernel[form.form], (arguments.rows.count + form.rows - 1) / form.rows, dim3(form.threads),
              arguments);
}

/// The reciprocal deviation, and the variance that it came of.
float rstd_of(float variance) { return static_cast<float>(1 / std::sqrt(variance + eps)); }
float variance_of(float rstd) {
  const double variance = 1 / (static_cast<double>(rstd) * rstd) - eps;
  return static_cast<float>(variance < 0 ? 0 : variance);
}

/// The gradients of scale and bias: pieces of the rows first, then the sums over the pieces.
void run_sums(drop_in::Call& call, kernels::LayernormSumsArguments g) {
  const int64_t tiles = (g.columns.count + 31) / 32;
  const int64_t wanted = (1024 + tiles - 1) / tiles, most = (g.rows.count + 31) / 32;
  const int64_t pieces = wanted < most ? wanted : most;
  g.piece = (g.rows.count + pieces - 1) / pieces;
  g.pieces = (g.rows.count + g.piece - 1) / g.piece;
  g.partial = call.room<kernels::TwoTotals<float>>(g.pieces * g.columns.count);
  call.launch(reinterpret_cast<const void*>(layernorm_bw_pieces), tiles * g.pieces, dim3(32, 8), g);
  call.launch(reinterpret_cast<const void*>(layernorm_bw_finish), tiles, dim3(32, 8), g);
}

}  // namespace

/// out = (inp - mean) / sqrt(variance + eps) * scale + bias for each row; vars and means may be NULL.
extern "C" void launch_layernorm(float* out, float* vars, float* means, const float* inp,
                                 const float* scale, const float* bias, int rows, int hidden,
                                 cudaStream_t stream) {
  const int64_t columns = hidden, count = rows * columns;
  if (count <= 0) return;
  drop_in::Call call("launch_layernorm", stream);
  kernels::LayernormArguments g = {};
  float* const y = call.room<float>(count);
  float* const mean = call.room<float>(rows);
  float* const rstd = call.room<float>(rows);
  g.x = call.room(count, inp);
  g.gamma = call.room(columns, scale);
  g.beta = call.room(columns, bias);
  g.out = y, g.mean = mean, g.rstd = rstd;
  g.eps = eps;
  g.rows = drop_in::Loops<4>().add(rows, {columns, columns, 1, 1}).nest();
  g.columns = drop_in::Loops<4>().add(columns, {1, 1, 1, 1}).nest();
  const void* const kernel[] = {TL_ROW_FORMS(TL_FORWARD_HANDLE)};
  run_rows(call, kernel, g);
  call.fetch(out, y, count);
  if (means) call.fetch(means, mean, rows);
  if (!vars) return;
  call.fetch(vars, rstd, rows);
  for (int i = 0; i < rows; ++i) vars[i] = variance_of(vars[i]);
}

/// Gradients of all three inputs. inp is the forward's input, vars and means what it gave; beta isn't needed.
extern "C" void launch_layernorm_bw(float* dgamma, float* dbeta, float* dinp, const float* dout,
                                    const float* inp, const float* gamma, const float*,
                                    const float* vars, const float* means, int rows, int hidden,
                                    cudaStream_t stream, cudaStream_t) {
  const int64_t columns = hidden, count = rows * columns;
  if (count <= 0) return;
  drop_in::Call call("launch_layernorm_bw", stream);
  std::vector<float> deviations(vars, vars + rows);
  for (float& x : deviations) x = rstd_of(x);
  float* const dx = call.room<float>(count);
  float* const sums = call.room<float>(2 * columns);
  kernels::LayernormGradientArguments g = {};
  g.grad = call.room(count, dout);
  g.x = call.room(count, inp);
  g.gamma = call.room(columns, gamma);
  g.mean = call.room<float>(rows, means);
  g.rstd = call.room<float>(rows, deviations.data());
  g.dinput = dx;
  g.rows = drop_in::Loops<5>().add(rows, {columns, columns, 1, 1, columns}).nest();
  g.columns = drop_in::Loops<4>().add(columns, {1, 1, 1, 1}).nest();
  const void* const kernel[] = {TL_ROW_FORMS(TL_BACKWARD_HANDLE)};
  run_rows(call, kernel, g);
  kernels::LayernormSumsArguments s = {};
  s.grad = g.grad, s.x = g.x, s.mean = g.mean, s.rstd = g.rstd;
  s.dgamma = sums, s.dbeta = sums + columns;
  s.rows = drop_in::Loops<4>().add(rows, {columns, columns, 1, 1}).nest();
  s.columns = g.columns;
  run_sums(call, s);
  call.fetch(dinp, dx, count);
  call.fetch(dgamma, sums, columns);
  call.fetch(dbeta, sums + columns, columns);
}
