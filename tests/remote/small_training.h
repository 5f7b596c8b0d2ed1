#pragma once

#include <vector>

#include <torchlight/torchlight.h>

/// A small network with a bit of everything in it that a device may offer: the primitives, the fused ones and
/// their gradients, rows picked by index, running sums, random numbers, an optimizer's step.
class SmallTraining {
 public:
  explicit SmallTraining(const char* device) : device_(device) {}

  /// One step; gives the loss before it. All is done when it returns.
  double step() {
    namespace tl = torchlight;
    for (tl::Tensor& p : params_) p.zero_grad();
    const tl::Tensor noise = tl::randn({6, 8}, {.device = device_}, &noise_) * 0.1;
    const tl::Tensor words = params_[0].index_select(0, words_) + noise;
    const tl::Tensor x = tl::layer_norm(words, 8, params_[1], params_[2]);
    const tl::Tensor weights = tl::attn_softmax(x.matmul(x.t()), {}, {.scale = 0.35, .causal = true});
    const tl::Tensor y = weights.matmul(x).matmul(params_[3]).cumsum(0).tanh();
    const tl::Tensor loss = (y - target_).square().mean();
    loss.backward();
    optimizer_.step();
    tl::synchronize(device_);
    return loss.item<double>();
  }

  std::vector<double> losses(int steps) {
    std::vector<double> all;
    for (int i = 0; i < steps; ++i) all.push_back(step());
    return all;
  }

 private:
  torchlight::Tensor fresh(const torchlight::Shape& shape, double mean, double deviation) {
    return torchlight::normal(shape, mean, deviation, {.device = "cpu"}, &values_)
        .to(device_)
        .detach()
        .requires_grad_();
  }

  const char* device_;
  torchlight::Generator values_{5, 0}, noise_{6, 0};
  torchlight::Tensor words_ = torchlight::tensor({0, 3, 1, 4, 1, 2}).to(device_);
  torchlight::Tensor target_ =
      torchlight::normal({6, 3}, 0, 0.5, {.device = "cpu"}, &values_).to(device_);
  std::vector<torchlight::Tensor> params_{fresh({5, 8}, 0, 1), fresh({8}, 1, 0.1), fresh({8}, 0, 0.1),
                                          fresh({8, 3}, 0, 0.3)};
  torchlight::optim::AdamW optimizer_{params_, {.lr = 0.05}};
};
