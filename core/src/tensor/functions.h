#pragma once

#include <torchlight/ops.h>

#include "array/operations.h"
#include "autograd/backward.h"
#include "tensor/record.h"

/// Functions on tensors with the names and arguments of array/operations.h that the public API offers as
/// methods, or not at all. Gradient rules run on them where the gradient's own graph is asked for.
namespace torchlight {

/// A number that takes part in an operation with `x`.
Tensor scalar_beside(const Tensor& x, double value);
/// Error unless it is bool.
void require_mask(const char* operation, const Tensor& mask);
Tensor cast(const Tensor& x, Dtype dtype);
Tensor copy(const Tensor& x, Dtype dtype);
Tensor to(const Tensor& x, OpenDevice& device);
Tensor sum_to(const Tensor& x, const Shape& shape);
Tensor scan(Fn fn, const Tensor& x, std::int64_t dim, bool reverse);

Tensor relu_bw(const Tensor& g, const Tensor& x);
Tensor sigmoid_bw(const Tensor& g, const Tensor& y);
Tensor tanh_bw(const Tensor& g, const Tensor& y);
Tensor gelu_bw(const Tensor& g, const Tensor& x);
Tensor gelu_tanh_bw(const Tensor& g, const Tensor& x);
Tensor silu_bw(const Tensor& g, const Tensor& x);
Tensor leaky_relu_bw(const Tensor& g, const Tensor& x, double slope);
Tensor softplus_bw(const Tensor& g, const Tensor& x, double beta, double threshold);
Tensor clamp_bw(const Tensor& g, const Tensor& x, double min, double max);
Tensor attn_softmax_bw(const Tensor& grad, const Tensor& soft, double scale);
struct LayerNormTensors {
  Tensor input, gamma, beta;
};
LayerNormTensors layer_norm_bw(const Tensor& grad, const Tensor& x, const Tensor& gamma,
                               const Array& mean, const Array& rstd, double eps, int normalized,
                               std::array<bool, 3> wanted);

Tensor reshape(const Tensor& x, const Shape& shape);
Tensor permute(const Tensor& x, const Dims& dims);
Tensor transpose(const Tensor& x, std::int64_t dim0, std::int64_t dim1);
Tensor expand(const Tensor& x, const Shape& shape);
Tensor window(const Tensor& x, const Window& window);
Tensor replace_window(const Tensor& x, const Tensor& values, const Window& window);
Tensor unfold(const Tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step);
Tensor fold(const Tensor& x, std::int64_t dim, std::int64_t length, std::int64_t step);
/// The index may broadcast by its strides, as for arrays.
Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index);
Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

namespace autograd {

template <> struct Values<Tensor> {
  static Tensor make(const Variable& variable) { return make_tensor(variable.array, variable.node); }
  static Variable read(const Tensor& value) {
    return value.defined() ? value.impl().variable : Variable();
  }
};

}  // namespace autograd
}  // namespace torchlight
