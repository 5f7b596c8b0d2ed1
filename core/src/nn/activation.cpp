#include <torchlight/nn/activation.h>

#include <torchlight/ops.h>

#include "support/text.h"

namespace torchlight::nn {

Tensor ReLU::forward(const Tensor& x) { return relu(x); }
Tensor Sigmoid::forward(const Tensor& x) { return sigmoid(x); }
Tensor Tanh::forward(const Tensor& x) { return tanh(x); }
Tensor SiLU::forward(const Tensor& x) { return silu(x); }

Tensor GELU::forward(const Tensor& x) {
  return approximate_ == Approximate::tanh ? gelu_tanh(x) : gelu(x);
}
std::string GELU::extra_repr() const {
  return approximate_ == Approximate::tanh ? "approximate='tanh'" : "approximate='none'";
}

Tensor LeakyReLU::forward(const Tensor& x) { return leaky_relu(x, negative_slope_); }
std::string LeakyReLU::extra_repr() const { return text("negative_slope=", negative_slope_); }

Tensor Softmax::forward(const Tensor& x) { return softmax(x, dim_); }
std::string Softmax::extra_repr() const { return text("dim=", dim_); }

Tensor LogSoftmax::forward(const Tensor& x) { return log_softmax(x, dim_); }
std::string LogSoftmax::extra_repr() const { return text("dim=", dim_); }

}  // namespace torchlight::nn
