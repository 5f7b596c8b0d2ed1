#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

/// Joins the dims from start_dim to end_dim: (N, C, H, W) → (N, C·H·W).
class Flatten : public Module {
 public:
  explicit Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1)
      : start_dim_(start_dim), end_dim_(end_dim) {}
  Tensor forward(const Tensor& x) override;
  std::string extra_repr() const override;

 private:
  std::int64_t start_dim_, end_dim_;
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
