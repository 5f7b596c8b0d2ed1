#include <torchlight/nn/normalization.h>

#include <limits>

#include <torchlight/nn/functional/normalization.h>
#include <torchlight/nn/init.h>

#include "nn/affine.h"
#include "support/text.h"

namespace torchlight::nn {

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

RMSNorm::RMSNorm(const Shape& normalized_shape, RMSNormOptions options)
    : weight(register_parameter("weight", make_parameter(options.elementwise_affine, normalized_shape,
                                                         options.device, options.dtype))),
      normalized_shape_(normalized_shape),
      options_(options) {
  if (weight.defined()) init::ones_(weight);
}
Tensor RMSNorm::forward(const Tensor& x) {
  return functional::rms_norm(x, normalized_shape_, weight, options_.eps);
}
std::string RMSNorm::extra_repr() const {
  return text(normalized_shape_.str(), ", eps=", options_.eps ? text(*options_.eps) : "None",
              ", elementwise_affine=", options_.elementwise_affine ? "True" : "False");
}

namespace functional {
namespace {

double epsilon_of(Dtype dtype) {
  return dtype == float64 ? std::numeric_limits<double>::epsilon()
                          : static_cast<double>(std::numeric_limits<float>::epsilon());
}

}  // namespace

Tensor rms_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  const int count = normalized_shape.rank();
  bool fits = count > 0 && count <= x.dim();
  for (int d = 1; fits && d <= count; ++d) fits = x.size(-d) == normalized_shape[count - d];
  if (!fits)
    throw Error(text("rms_norm: normalized_shape ", normalized_shape.str(),
                     " must be the last dims of the input's shape ", x.shape().str()));
  if (weight.defined() && weight.shape() != normalized_shape)
    throw Error(text("rms_norm: the weight is ", weight.shape().str(), " and should be ",
                     normalized_shape.str()));
  Dims dims;
  for (int d = count; d > 0; --d) dims.push_back(-d);
  const Tensor scale = (x.square().mean(dims, true) + eps.value_or(epsilon_of(x.dtype()))).rsqrt();
  return weight.defined() ? x * scale * weight : x * scale;
}

Tensor normalize(const Tensor& x, double p, std::int64_t dim, double eps) {
  return x / x.norm(p, dim, true).clamp(eps);
}

}  // namespace functional
}  // namespace torchlight::nn
