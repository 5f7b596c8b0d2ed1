// This library, through its public API.
#include <torchlight/nn.h>
#include <torchlight/optim.h>
#include <torchlight/torchlight.h>

#include <cmath>
#include <memory>

#include "peers.h"

namespace {

namespace tl = torchlight;
using peers::Case;
using peers::Work;
using tl::Tensor;

Tensor input(const std::vector<std::int64_t>& shape, int stream) {
  Tensor tensor = tl::empty(shape);
  peers::fill(tensor.data<float>(), tensor.numel(), stream);
  return tensor;
}

// Makes a fresh result each time, which is looked at in the end.
template <class F> Work fresh(F compute) {
  const auto result = std::make_shared<Tensor>();
  return {[=] {
            const tl::no_grad guard;
            *result = compute();
          },
          [=] {
            const Tensor values = result->detach().contiguous();
            return peers::probe(values.data<float>(), values.numel());
          }};
}

Work elementwise(const Case& c) {
  const auto& s = c.shape;
  if (c.op == "exp") return fresh([x = input(s, 1)] { return x.exp(); });
  if (c.op == "sigmoid") return fresh([x = input(s, 1)] { return x.sigmoid(); });
  if (c.op == "tanh") return fresh([x = input(s, 1)] { return x.tanh(); });
  if (c.op == "gelu") return fresh([x = input(s, 1)] { return x.gelu_tanh(); });
  if (c.op == "mul") return fresh([a = input(s, 1), b = input(s, 2)] { return a * b; });
  if (c.op == "add") return fresh([a = input(s, 1), b = input(s, 2)] { return a + b; });
  if (c.op == "addrow") return fresh([a = input(s, 1), b = input({s[1]}, 2)] { return a + b; });
  if (c.op == "addcol") return fresh([a = input(s, 1), b = input({s[0], 1}, 2)] { return a + b; });
  if (c.op == "addT") return fresh([a = input(s, 1), b = input(s, 2).t()] { return a + b; });
  if (c.op == "copyT") return fresh([a = input(s, 1).t()] { return a.contiguous(); });
  if (c.op == "addstr") {
    const Tensor a = input({s[0], 2 * s[1]}, 1).slice(1, {}, {}, 2), b = input(s, 2);
    return fresh([=] { return a + b; });
  }
  if (c.op == "chain")
    return fresh([a = input(s, 1), b = input(s, 2), d = input(s, 3)] { return tanh(a * b + d) * a; });
  return {};
}

Work reduction(const Case& c) {
  const Tensor x = input(c.shape, 1);
  const tl::Dims dims = c.detail < 0 ? tl::Dims{} : tl::Dims{c.detail};
  if (c.op == "sum") return fresh([=] { return x.sum(dims); });
  return fresh([=] { return x.max(dims); });
}

Work product(const Case& c) {
  const std::int64_t batch = c.shape[0], m = c.shape[1], n = c.shape[2], k = c.shape[3];
  Tensor a = c.detail & 1 ? input({batch, k, m}, 1).transpose(1, 2) : input({batch, m, k}, 1);
  Tensor b = c.detail & 2 ? input({batch, n, k}, 2).transpose(1, 2) : input({batch, k, n}, 2);
  if (batch == 1) return fresh([a = a[0], b = b[0]] { return matmul(a, b); });
  return fresh([=] { return matmul(a, b); });
}

Work by_rows(const Case& c) {
  const auto& s = c.shape;
  const tl::Backend backend = tl::get_backend();
  if (c.op == "softmax_fw")
    return fresh([x = input(s, 1), mask = input({s[1]}, 2)] { return tl::attn_softmax(x, mask); });
  if (c.op == "softmax_bw")
    return fresh([=, grad = input(s, 3), soft = input(s, 1).softmax(-1)] {
      return backend.attn_softmax_bw(grad, soft);
    });
  const Tensor x = input(s, 1), gamma = input({s[1]}, 2), beta = input({s[1]}, 3), grad = input(s, 4);
  if (c.op == "ln_fw") return fresh([=] { return tl::layer_norm(x, s[1], gamma, beta); });
  return fresh([=] { return backend.layernorm_bw(grad, x, gamma)[0]; });
}

Work overhead(const Case& c) {
  Tensor a = input(c.shape, 1), b = input(c.shape, 2);
  if (c.op == "ovh_add") return fresh([=] { return a + b; });
  a.requires_grad_();
  b.requires_grad_();
  const auto result = std::make_shared<Tensor>();
  const auto probe = [=] { return peers::probe(result->detach().data<float>(), result->numel()); };
  if (c.op == "ovh_add_grad") return {[=] { *result = a + b; }, probe};
  const Tensor one = tl::ones(c.shape);
  return {[=]() mutable {
            *result = a + b;
            a.zero_grad();
            b.zero_grad();
            result->backward(one);
          },
          probe};
}

Work mlp_step(const Case& c) {
  namespace nn = tl::nn;
  auto net = std::make_shared<nn::Sequential>(nn::Linear(784, 512), nn::ReLU(), nn::Linear(512, 512),
                                              nn::ReLU(), nn::Linear(512, 10));
  auto optimizer =
      std::make_shared<tl::optim::SGD>(net->parameters(), tl::optim::SGDOptions{.lr = 0.01});
  const std::int64_t batch = c.shape[0];
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < batch; ++i) labels.push_back(i % 10);
  return {[=, x = input({batch, 784}, 1), y = tl::tensor(labels)] {
    optimizer->zero_grad();
    nn::functional::cross_entropy(net->forward(x), y).backward();
    optimizer->step();
  }};
}

Work make(const Case& c) {
  if (c.preallocated && c.op != "mm") return {};  // the public API makes fresh results
  if (c.op == "mm") return product(c);
  if (c.op == "sum" || c.op == "max") return reduction(c);
  if (c.op.starts_with("softmax_") || c.op.starts_with("ln_")) return by_rows(c);
  if (c.op.starts_with("ovh_")) return overhead(c);
  if (c.op == "mlp_step") return mlp_step(c);
  return elementwise(c);
}

}  // namespace

peers::Contestant make_torchlight() { return {"torchlight", tl::set_num_threads, make}; }
