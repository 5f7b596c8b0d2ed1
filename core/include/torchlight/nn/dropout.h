#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

/// In training each element is 0 with probability p and divided by 1 - p otherwise, drawn from
/// default_generator(); in evaluation nothing happens.
class Dropout : public Module {
 public:
  explicit Dropout(double p = 0.5);
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  double p_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
