#pragma once

#include <torchlight/optim/optimizer.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
};

/// With g = grad + weight_decay · param, and t counting the steps of the parameter:
///   sum = sum + g², which starts at initial_accumulator_value
///   param -= lr / (1 + (t - 1) lr_decay) · g / (sqrt(sum) + eps)
/// Source: Duchi, Hazan and Singer, JMLR 12 (2011).
class Adagrad : public GroupedOptimizer<AdagradOptions> {
 public:
  explicit Adagrad(std::vector<Tensor> params, AdagradOptions options = {});
  explicit Adagrad(std::vector<ParamGroup<AdagradOptions>> groups);

 private:
  void update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) override;
  bool zero_changes_nothing(std::size_t group) const override;
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
