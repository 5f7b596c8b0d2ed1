#pragma once

#include <torchlight/optim/optimizer.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;  ///< divide by the deviation of the gradient instead of its root mean square
};

/// With g = grad + weight_decay · param:
///   v = alpha v + (1 - alpha) g²,  scaled = g / (sqrt(v) + eps)
///   centered: a = alpha a + (1 - alpha) g,  scaled = g / (sqrt(v - a²) + eps)
///   param -= lr · scaled, or with momentum  buffer = momentum · buffer + scaled,  param -= lr · buffer
/// Source: Hinton, Neural Networks for Machine Learning, lecture 6e; centered: Graves, arXiv:1308.0850.
class RMSprop : public GroupedOptimizer<RMSpropOptions> {
 public:
  explicit RMSprop(std::vector<Tensor> params, RMSpropOptions options = {});
  explicit RMSprop(std::vector<ParamGroup<RMSpropOptions>> groups);

 private:
  void update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) override;
  bool uses_slot(std::size_t slot, std::size_t group) const override;
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
