#include "remote_device.h"

TEST_CASE("remote: an MLP trains there as it does on cpu") {
  const auto train = [](const char* device) {
    const tl::Options here{.device = device};
    tl::Generator generator{1, 0};
    const auto weights = [&](const tl::Shape& shape) {
      return tl::normal(shape, 0, 0.5, {.device = "cpu"}, &generator)
          .to(device)
          .detach()
          .requires_grad_();
    };
    tl::Tensor w1 = weights({2, 8}), w2 = weights({8, 1}), b1 = tl::zeros(8, here).requires_grad_();
    const tl::Tensor x = tl::tensor({{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 1.0}}, here);
    const tl::Tensor target = tl::tensor({{0.0}, {1.0}, {1.0}, {0.0}}, here);
    std::vector<double> losses;
    for (int step = 0; step < 150; ++step) {
      const tl::Tensor loss = ((x.matmul(w1) + b1).tanh().matmul(w2) - target).square().mean();
      loss.backward();
      tl::no_grad guard;
      for (tl::Tensor* p : {&w1, &w2, &b1}) {
        *p -= p->grad() * 0.3;
        p->zero_grad();
      }
      losses.push_back(loss.item<double>());
    }
    return losses;
  };
  const std::vector<double> here = train("cpu"), away = train("remote");
  CHECK(here.back() < 0.05);
  for (std::size_t i = 0; i < here.size(); ++i)
    CHECK(away[i] == doctest::Approx(here[i]).epsilon(1e-3));
}
