#pragma once

#include <torchlight/optim/optimizer.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;  ///< wants momentum and no dampening
};

/// Stochastic gradient descent. With g = grad + weight_decay · param:
///   buffer = momentum · buffer + (1 - dampening) · g, at first g itself
///   param -= lr · buffer, or with Nesterov lr · (g + momentum · buffer), or without momentum lr · g
class SGD : public GroupedOptimizer<SGDOptions> {
 public:
  explicit SGD(std::vector<Tensor> params, SGDOptions options = {});
  explicit SGD(std::vector<ParamGroup<SGDOptions>> groups);

 private:
  void update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) override;
  bool uses_slot(std::size_t slot, std::size_t group) const override;
  bool zero_changes_nothing(std::size_t group) const override;
  void update_group(std::span<Update> updates, std::size_t group) override;
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
