#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct BatchNormModuleOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;  ///< without one: the average over all batches
  bool affine = true;                    ///< weight and bias
  bool track_running_stats = true;       ///< without them evaluation uses the batch's statistics
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// What BatchNorm1d and BatchNorm2d have in common: functional::batch_norm, whose running statistics are
/// buffers and so part of the state.
class BatchNorm : public Module {
 public:
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  Tensor weight;               ///< (num_features), starts at 1; or undefined
  Tensor bias;                 ///< (num_features), starts at 0; or undefined
  Tensor running_mean;         ///< (num_features), starts at 0; or undefined
  Tensor running_var;          ///< (num_features), starts at 1; or undefined
  Tensor num_batches_tracked;  ///< int64 (); or undefined

 protected:
  BatchNorm(std::int64_t num_features, const BatchNormModuleOptions& options);
  virtual void check_input(const Tensor& x) const = 0;

 private:
  double next_momentum() const;

  std::int64_t num_features_;
  BatchNormModuleOptions options_;
};

/// Over (N, C) or (N, C, L).
class BatchNorm1d : public BatchNorm {
 public:
  explicit BatchNorm1d(std::int64_t num_features, BatchNormModuleOptions options = {})
      : BatchNorm(num_features, options) {}

 protected:
  void check_input(const Tensor& x) const override;
};

/// Over (N, C, H, W).
class BatchNorm2d : public BatchNorm {
 public:
  explicit BatchNorm2d(std::int64_t num_features, BatchNormModuleOptions options = {})
      : BatchNorm(num_features, options) {}

 protected:
  void check_input(const Tensor& x) const override;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
