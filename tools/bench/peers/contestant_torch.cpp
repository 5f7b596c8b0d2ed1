// libtorch (Debian libtorch-dev 1.13). "torch" and, started with
// ATEN_CPU_CAPABILITY=avx512 in the environment, the same with its AVX-512 kernels.

#include <dlfcn.h>
#include <torch/torch.h>
#include <cstdlib>
#include <memory>
#include "peers.h"

namespace peers_torch {
using at::Tensor;
using peers::Case;
using peers::Work;

inline Tensor in(std::vector<int64_t> s, int stream) {
  Tensor t = torch::empty(s);
  peers::fill(t.data_ptr<float>(), t.numel(), stream);
  return t;
}

struct GPT : torch::nn::Module {
  int64_t L, D, H, T, V;
  torch::nn::Embedding te{nullptr}, pe{nullptr};
  std::vector<torch::nn::Linear> qkv, pr, f1, f2;
  std::vector<torch::nn::LayerNorm> l1, l2;
  torch::nn::LayerNorm lf{nullptr};
  torch::nn::Linear head{nullptr};
  Tensor mask;
  GPT(int64_t L, int64_t D, int64_t H, int64_t T, int64_t V) : L(L), D(D), H(H), T(T), V(V) {
    using namespace torch::nn;
    te = register_module("te", Embedding(V, D));
    pe = register_module("pe", Embedding(T, D));
    for (int i = 0; i < L; i++) {
      auto s = std::to_string(i);
      qkv.push_back(register_module("qkv" + s, Linear(D, 3 * D)));
      pr.push_back(register_module("pr" + s, Linear(D, D)));
      f1.push_back(register_module("f1" + s, Linear(D, 4 * D)));
      f2.push_back(register_module("f2" + s, Linear(4 * D, D)));
      l1.push_back(register_module("l1" + s, LayerNorm(LayerNormOptions({D}))));
      l2.push_back(register_module("l2" + s, LayerNorm(LayerNormOptions({D}))));
    }
    lf = register_module("lf", LayerNorm(LayerNormOptions({D})));
    head = register_module("head", Linear(LinearOptions(D, V).bias(false)));
    mask = torch::full({T, T}, -1e9f).triu(1);
  }
  Tensor forward(const Tensor& idx) {
    int64_t B = idx.size(0), dh = D / H;
    Tensor x = te(idx) + pe->weight;
    for (int i = 0; i < L; i++) {
      auto q3 = qkv[i](l1[i](x)).view({B, T, 3, H, dh}).permute({2, 0, 3, 1, 4});
      auto q = q3[0], k = q3[1], v = q3[2];
      auto a =
          at::softmax(at::matmul(q, k.transpose(-1, -2)) * (1.0 / std::sqrt((double)dh)) + mask, -1);
      auto y = at::matmul(a, v).transpose(1, 2).reshape({B, T, D});
      x = x + pr[i](y);
      x = x + f2[i](at::gelu(f1[i](l2[i](x)), "tanh"));
    }
    return head(lf(x));
  }
};

inline Work make(const Case& c) {
  auto& d = c.shape;
  const std::string& op = c.op;
  bool out = c.preallocated;
  auto res = std::make_shared<Tensor>();
  auto probe = [res] {
    Tensor t = res->contiguous();
    return peers::probe(t.data_ptr<float>(), t.numel());
  };
  auto W = [&](std::function<void()> f) {
    return Work{[f] {
                  torch::NoGradGuard g;
                  f();
                },
                probe};
  };
  if (op == "exp" || op == "sigmoid" || op == "tanh" || op == "gelu") {
    Tensor x = in({d[0]}, 1);
    if (out) *res = torch::empty({d[0]});
    if (op == "exp") return out ? W([=] { at::exp_out(*res, x); }) : W([=] { *res = at::exp(x); });
    if (op == "sigmoid")
      return out ? W([=] { at::sigmoid_out(*res, x); }) : W([=] { *res = at::sigmoid(x); });
    if (op == "tanh") return out ? W([=] { at::tanh_out(*res, x); }) : W([=] { *res = at::tanh(x); });
    return out ? W([=] { at::gelu_out(*res, x, "tanh"); }) : W([=] { *res = at::gelu(x, "tanh"); });
  }
  if (op == "add" || op == "mul" || op == "addrow" || op == "addcol" || op == "addT" ||
      op == "addstr") {
    Tensor a, b;
    if (op == "add" || op == "mul") {
      a = in({d[0]}, 1);
      b = in({d[0]}, 2);
    } else if (op == "addrow") {
      a = in({d[0], d[1]}, 1);
      b = in({d[1]}, 2);
    } else if (op == "addcol") {
      a = in({d[0], d[1]}, 1);
      b = in({d[0], 1}, 2);
    } else if (op == "addT") {
      a = in({d[0], d[1]}, 1);
      b = in({d[0], d[1]}, 2).t();
    } else {
      a = in({d[0], 2 * d[1]}, 1).slice(1, 0, 2 * d[1], 2);
      b = in({d[0], d[1]}, 2);
    }
    if (out) *res = torch::empty(a.sizes());
    if (op == "mul")
      return out ? W([=] { at::mul_out(*res, a, b); }) : W([=] { *res = at::mul(a, b); });
    return out ? W([=] { at::add_out(*res, a, b); }) : W([=] { *res = at::add(a, b); });
  }
  if (op == "copyT") {
    Tensor a = in({d[0], d[1]}, 1).t();
    if (out) *res = torch::empty(a.sizes());
    return out ? W([=] { res->copy_(a); }) : W([=] { *res = a.contiguous(); });
  }
  if (op == "chain") {
    if (out) return {};
    Tensor a = in({d[0]}, 1), b = in({d[0]}, 2), e = in({d[0]}, 3);
    return W([=] { *res = at::mul(at::tanh(at::add(at::mul(a, b), e)), a); });
  }
  if (op == "sum" || op == "max") {
    Tensor x = in(d, 1);
    bool s = op == "sum";
    int ax = c.detail;
    if (ax < 0) return s ? W([=] { *res = at::sum(x); }) : W([=] { *res = at::max(x); });
    return s ? W([=] { *res = at::sum(x, {ax}); }) : W([=] { *res = at::amax(x, {ax}); });
  }
  if (op == "mm") {
    int64_t b = d[0], m = d[1], n = d[2], k = d[3];
    Tensor A = (c.detail & 1) ? in({b, k, m}, 1).transpose(1, 2) : in({b, m, k}, 1),
           B = (c.detail & 2) ? in({b, n, k}, 2).transpose(1, 2) : in({b, k, n}, 2);
    *res = torch::empty({b, m, n});
    if (b == 1) {
      A = A[0];
      B = B[0];
      *res = torch::empty({m, n});
      return W([=] { at::mm_out(*res, A, B); });
    }
    return W([=] { at::bmm_out(*res, A, B); });
  }
  if (op == "softmax_fw") {
    Tensor x = in(d, 1), mk = in({d[1]}, 2);
    return W([=] { *res = at::softmax(at::add(x, mk), -1); });
  }
  if (op == "softmax_bw") {
    Tensor x = in(d, 1), g = in(d, 3);
    Tensor y = at::softmax(x, -1);
    return W([=] { *res = at::_softmax_backward_data(g, y, -1, at::kFloat); });
  }
  if (op == "ln_fw" || op == "ln_bw") {
    Tensor x = in(d, 1), ga = in({d[1]}, 2), be = in({d[1]}, 3), g = in(d, 4);
    int64_t C = d[1];
    if (op == "ln_fw")
      return W([=] { *res = std::get<0>(at::native_layer_norm(x, {C}, ga, be, 1e-5)); });
    auto [y, mu, rs] = at::native_layer_norm(x, {C}, ga, be, 1e-5);
    return W([=, mu = mu, rs = rs] {
      *res = std::get<0>(at::native_layer_norm_backward(g, x, {C}, mu, rs, ga, be, {true, true, true}));
    });
  }
  if (op.rfind("ovh_", 0) == 0) {
    Tensor a = in(d, 1), b = in(d, 2);
    if (op == "ovh_add") return W([=] { *res = at::add(a, b); });
    a.requires_grad_();
    b.requires_grad_();
    Tensor one = torch::ones(d);
    auto r2 = res;
    auto pr = [r2] {
      Tensor t = r2->detach().contiguous();
      return peers::probe(t.data_ptr<float>(), t.numel());
    };
    if (op == "ovh_add_grad") return {[=] { *res = at::add(a, b); }, pr};
    return {[=] {
              *res = at::add(a, b);
              a.mutable_grad() = Tensor();
              b.mutable_grad() = Tensor();
              res->backward(one);
            },
            pr};
  }
  if (op == "mlp_step") {
    int64_t B = d[0];
    torch::manual_seed(0);
    auto net = std::make_shared<torch::nn::SequentialImpl>(
        torch::nn::Linear(784, 512), torch::nn::ReLU(), torch::nn::Linear(512, 512), torch::nn::ReLU(),
        torch::nn::Linear(512, 10));
    auto opt = std::make_shared<torch::optim::SGD>(net->parameters(), torch::optim::SGDOptions(0.01));
    Tensor x = in({B, 784}, 1), y = at::arange(B).remainder(10);
    return {[=] {
              opt->zero_grad();
              auto l = torch::nn::functional::cross_entropy(net->forward(x), y);
              l.backward();
              opt->step();
              *res = l.detach();
            },
            nullptr};
  }
  if (op == "gpt_step") {
    torch::manual_seed(0);
    int64_t T = d[3], B = d[4], V = d[5];
    auto net = std::make_shared<GPT>(d[0], d[1], d[2], T, V);
    auto opt =
        std::make_shared<torch::optim::AdamW>(net->parameters(), torch::optim::AdamWOptions(3e-4));
    Tensor x = at::arange(B * T).mul(7).remainder(V).view({B, T}),
           y = at::arange(B * T).mul(7).add(7).remainder(V);
    return {[=] {
              opt->zero_grad();
              auto l = torch::nn::functional::cross_entropy(net->forward(x).view({B * T, V}), y);
              l.backward();
              opt->step();
              *res = l.detach();
            },
            nullptr};
  }
  return {};
}
}  // namespace peers_torch

peers::Contestant make_torch() {
  return {"torch",
          [](int t) {
            if (at::get_num_threads() != t) at::set_num_threads(t);
            // Debian's libtorch does not forward its thread count to OpenBLAS
            static auto f = (void (*)(int))dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
            if (f) f(t);
          },
          peers_torch::make};
}
