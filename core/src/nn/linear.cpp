#include <torchlight/nn/linear.h>

#include <torchlight/nn/functional.h>

#include "nn/affine.h"
#include "support/text.h"

namespace torchlight::nn {

Linear::Linear(std::int64_t in_features, std::int64_t out_features, LinearOptions options)
    : weight(register_parameter(
          "weight", make_parameter(true, {out_features, in_features}, options.device, options.dtype))),
      bias(register_parameter(
          "bias", make_parameter(options.bias, out_features, options.device, options.dtype))) {
  reset_affine(weight, bias);
}

Tensor Linear::forward(const Tensor& x) { return functional::linear(x, weight, bias); }

std::string Linear::extra_repr() const {
  return text("in_features=", weight.size(1), ", out_features=", weight.size(0),
              ", bias=", bias.defined() ? "True" : "False");
}

namespace functional {

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.dim() != 2 || x.dim() < 1 || x.shape().back() != weight.size(1))
    throw Error(text("linear: input ", x.shape().str(), " doesn't fit weight ", weight.shape().str(),
                     ": the input's last dim must be the weight's last dim"));
  const Tensor y = matmul(x, weight.t());
  return bias.defined() ? y + bias : y;
}

}  // namespace functional
}  // namespace torchlight::nn
