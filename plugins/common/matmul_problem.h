#pragma once

#include <torchlight/plugin.h>

/// A matmul call in its normal form, of which each plug-in makes its own plan.
namespace plugins {

/// One operand; strides in elements. `batch` has the strides of the problem's batch dimensions.
struct MatmulOperand {
  char* data = nullptr;
  int64_t row = 0;
  int64_t column = 0;
  int64_t batch[TL_MAX_RANK] = {};
};

/// out[m,n] = activation(alpha * a[m,k] b[k,n] + beta * out + bias), `batches` times.
struct MatmulProblem {
  MatmulOperand a, b, out, bias;
  bool has_bias = false;
  uint32_t in_type = 0;   ///< dtype_key of a and b
  uint32_t out_type = 0;  ///< of out and bias
  uint32_t activation = TL_FN_NONE;
  double alpha = 1, beta = 0;
  int64_t m = 0, n = 0, k = 0;
  int64_t batch_rank = 0, batches = 1;
  int64_t batch_extent[TL_MAX_RANK] = {};
  bool is_empty = true;  ///< nothing to write

  /// Has out another type than the sums are kept in (16 bits, summed in float32)?
  bool narrows() const noexcept;

  double flops() const noexcept {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Brings a call that was found acceptable into its normal form: batch dimensions that continue the rows
/// are folded into them, an output that lies by columns is computed as its transpose, a single column as
/// a single row.
MatmulProblem normalise_matmul(const tl_matmul_args& args) noexcept;

/// Where batch entry `index` (row-major) of an operand starts, in elements.
int64_t batch_offset(const MatmulProblem& problem, const MatmulOperand& operand,
                     int64_t index) noexcept;

}  // namespace plugins
