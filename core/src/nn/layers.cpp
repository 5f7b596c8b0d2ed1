#include <torchlight/nn/dropout.h>
#include <torchlight/nn/flatten.h>
#include <torchlight/nn/functional.h>
#include <torchlight/nn/init.h>
#include <torchlight/nn/normalization.h>

#include "nn/affine.h"
#include "support/text.h"

namespace torchlight::nn {

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1)) throw Error(text("Dropout: the probability is ", p, ", not in 0 … 1"));
}
Tensor Dropout::forward(const Tensor& x) { return functional::dropout(x, p_, is_training()); }
std::string Dropout::extra_repr() const { return text("p=", p_); }

Tensor Flatten::forward(const Tensor& x) { return x.flatten(start_dim_, end_dim_); }
std::string Flatten::extra_repr() const {
  return text("start_dim=", start_dim_, ", end_dim=", end_dim_);
}

LayerNorm::LayerNorm(const Shape& normalized_shape, LayerNormOptions options)
    : weight(register_parameter("weight", make_parameter(options.elementwise_affine, normalized_shape,
                                                         options.device, options.dtype))),
      bias(register_parameter("bias", make_parameter(options.elementwise_affine && options.bias,
                                                     normalized_shape, options.device, options.dtype))),
      normalized_shape_(normalized_shape),
      options_(options) {
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}
Tensor LayerNorm::forward(const Tensor& x) {
  return layer_norm(x, normalized_shape_, weight, bias, options_.eps);
}
std::string LayerNorm::extra_repr() const {
  return text(normalized_shape_.str(), ", eps=", options_.eps,
              ", elementwise_affine=", options_.elementwise_affine ? "True" : "False");
}

}  // namespace torchlight::nn
