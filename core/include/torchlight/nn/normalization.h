#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;
  bool bias = true;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// (x - mean) / sqrt(var + eps) * weight + bias over the last dims, those of normalized_shape, with the
/// population variance. One fused primitive.
class LayerNorm : public Module {
 public:
  explicit LayerNorm(const Shape& normalized_shape, LayerNormOptions options = {});
  explicit LayerNorm(std::initializer_list<std::int64_t> normalized_shape,
                     LayerNormOptions options = {})
      : LayerNorm(Shape(normalized_shape), options) {}  // or {8} could be a copy of LayerNorm(8), too
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  Tensor weight;  ///< of normalized_shape, starts at 1; or undefined
  Tensor bias;    ///< of normalized_shape, starts at 0; or undefined

 private:
  Shape normalized_shape_;
  LayerNormOptions options_;
};

struct RMSNormOptions {
  std::optional<double> eps = {};  ///< the distance from 1 to the next number of the input's dtype
  bool elementwise_affine = true;
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// functional::rms_norm over the last dims, those of normalized_shape.
class RMSNorm : public Module {
 public:
  explicit RMSNorm(const Shape& normalized_shape, RMSNormOptions options = {});
  explicit RMSNorm(std::initializer_list<std::int64_t> normalized_shape, RMSNormOptions options = {})
      : RMSNorm(Shape(normalized_shape), options) {}  // or {8} could be a copy of RMSNorm(8), too
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

  Tensor weight;  ///< of normalized_shape, starts at 1; or undefined

 private:
  Shape normalized_shape_;
  RMSNormOptions options_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
