#pragma once

#include <torchlight/optim/optimizer.h>

#pragma GCC visibility push(default)
namespace torchlight::optim {

struct Betas {
  double first = 0.9, second = 0.999;
};

struct AdamOptions {
  double lr = 1e-3;
  Betas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
};

struct AdamWOptions {
  double lr = 1e-3;
  Betas betas = {};
  double eps = 1e-8;
  double weight_decay = 1e-2;
};

/// With g = grad + weight_decay · param, and t counting the steps of the parameter:
///   m = β₁ m + (1 - β₁) g,  v = β₂ v + (1 - β₂) g²
///   param -= lr · m/(1 - β₁ᵗ) / (sqrt(v/(1 - β₂ᵗ)) + eps)
class Adam : public GroupedOptimizer<AdamOptions> {
 public:
  explicit Adam(std::vector<Tensor> params, AdamOptions options = {});
  explicit Adam(std::vector<ParamGroup<AdamOptions>> groups);

 private:
  void update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) override;
  void update_group(std::span<Update> updates, std::size_t group) override;
};

/// Adam with decoupled decay: param -= lr · weight_decay · param before the step, and g = grad.
class AdamW : public GroupedOptimizer<AdamWOptions> {
 public:
  explicit AdamW(std::vector<Tensor> params, AdamWOptions options = {});
  explicit AdamW(std::vector<ParamGroup<AdamWOptions>> groups);

 private:
  void update(Tensor& param, const Tensor& grad, ParamState& state, std::size_t group) override;
  void update_group(std::span<Update> updates, std::size_t group) override;
};

}  // namespace torchlight::optim
#pragma GCC visibility pop
