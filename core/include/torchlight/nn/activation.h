#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

/// ReLU, Sigmoid, Tanh, SiLU: the functions of the same names.
#define TORCHLIGHT_ACTIVATION(Name)           \
  class Name : public Module {                \
   public:                                    \
    Tensor forward(const Tensor& x) override; \
  };
TORCHLIGHT_ACTIVATION(ReLU)
TORCHLIGHT_ACTIVATION(Sigmoid)
TORCHLIGHT_ACTIVATION(Tanh)
TORCHLIGHT_ACTIVATION(SiLU)
#undef TORCHLIGHT_ACTIVATION

/// x · Φ(x), with erf or, approximately, with tanh.
class GELU : public Module {
 public:
  enum class Approximate { none, tanh };
  explicit GELU(Approximate approximate = Approximate::none) : approximate_(approximate) {}
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  Approximate approximate_;
};

class LeakyReLU : public Module {
 public:
  explicit LeakyReLU(double negative_slope = 0.01) : negative_slope_(negative_slope) {}
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  double negative_slope_;
};

class Softmax : public Module {
 public:
  explicit Softmax(std::int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  std::int64_t dim_;
};

class LogSoftmax : public Module {
 public:
  explicit LogSoftmax(std::int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  std::int64_t dim_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
