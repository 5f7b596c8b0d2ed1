#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct LinearOptions {
  bool bias = true;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// x @ weight.t() + bias: (…, in_features) → (…, out_features). Both start uniform in ±1/sqrt(in_features).
class Linear : public Module {
 public:
  Linear(std::int64_t in_features, std::int64_t out_features, LinearOptions options = {});

  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  Tensor weight;  ///< (out_features, in_features)
  Tensor bias;    ///< (out_features), or undefined
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
