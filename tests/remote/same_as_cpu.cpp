#include "remote_device.h"

namespace {

using Function = std::function<tl::Tensor(const std::vector<tl::Tensor>&)>;

/// The result and the gradients on the device are those on cpu.
void check_same(const char* name, const Function& f, const std::vector<tl::Tensor>& inputs) {
  CAPTURE(name);
  std::vector<tl::Tensor> here, away;
  for (const tl::Tensor& x : inputs) {
    here.push_back(x.detach().clone());
    away.push_back(x.detach().to("remote"));
    if (x.dtype() == tl::float32) {
      here.back().requires_grad_();
      away.back().requires_grad_();
    }
  }
  const tl::Tensor expected = f(here), actual = f(away);
  CHECK(actual.device().name() == "remote");
  check_values(actual, expected.shape(), expected.to_vector<double>(), 1e-4);
  if (!expected.requires_grad()) return;
  expected.sum().backward();
  actual.sum().backward();
  for (std::size_t i = 0; i < here.size(); ++i)
    if (here[i].grad().defined()) {
      CHECK(away[i].grad().device().name() == "remote");
      check_values(away[i].grad(), here[i].shape(), here[i].grad().to_vector<double>(), 1e-4);
    }
}

tl::Tensor random(const tl::Shape& shape) {
  static tl::Generator generator{9, 0};
  return tl::uniform(shape, 0.1, 2, {.device = "cpu"}, &generator);
}

}  // namespace

TEST_CASE("remote: tensors travel there and back, views and every dtype, too") {
  const tl::Tensor x = tl::arange(24, {.dtype = tl::float32}).reshape({2, 3, 4});
  check_exact(x.to("remote").to("cpu"), {2, 3, 4}, x.to_vector<double>());
  check_exact(x.transpose(0, 2).to("remote"), {4, 3, 2}, x.transpose(0, 2).to_vector<double>());
  check_exact(x.to("remote").transpose(0, 2).slice(0, 3, 0, -2).to("cpu"), {2, 3, 2},
              x.transpose(0, 2).slice(0, 3, 0, -2).to_vector<double>());
  for (tl::Dtype d :
       {tl::float64, tl::int64, tl::boolean, tl::uint8, tl::int32, tl::float16, tl::bfloat16})
    check_exact(x.to(d).to("remote"), {2, 3, 4}, x.to(d).to_vector<double>());
  CHECK(tl::tensor({1.5, 2.5}, there())[1].item<double>() == 2.5);
  CHECK(tl::tensor({1.0, 2.0}, there()).str() == "tensor([1., 2.], device=remote)");
  CHECK_RAISES(tl::ones(2, there()).data<float>(), "remote", "to(\"cpu\")");
  CHECK_RAISES(tl::ones(2, there()) + tl::ones(2), "remote", "cpu");
  tl::Tensor moved = x.detach().requires_grad_();
  (moved.to("remote") * 2).sum().backward();
  CHECK(moved.grad().device().name() == "cpu");
  check_exact(moved.grad(), {2, 3, 4}, std::vector<double>(24, 2));
}

TEST_CASE("remote: operations and gradients agree with cpu, composed and fallen back") {
  const auto pair = std::vector<tl::Tensor>{random({3, 4}), random({3, 4})};
  check_same(
      "arithmetic", [](auto& x) { return x[0] * x[1] - x[0] / x[1] + 2; }, pair);
  check_same(
      "functions",
      [](auto& x) { return x[0].sigmoid() + x[0].tanh() * x[1].exp() + x[1].log().gelu(); }, pair);
  check_same(
      "pow", [](auto& x) { return tl::pow(x[0], x[1]) + tl::pow(x[0], 2.5); }, pair);
  check_same(
      "where", [](auto& x) { return tl::where(x[0] > x[1], x[0], x[1] * 3); }, pair);
  check_same(
      "reductions",
      [](auto& x) { return x[0].sum(0) + x[0].mean(0) + x[0].max(0) + x[0].std(0) + x[0].prod(0); },
      pair);
  check_same(
      "matmul", [](auto& x) { return x[0].matmul(x[1].t()); }, pair);
  check_same(
      "softmax", [](auto& x) { return x[0].softmax(-1) * x[1] + x[0].log_softmax(0); }, pair);
  check_same(
      "causal attention softmax",
      [](auto& x) { return tl::attn_softmax(x[0], x[1], {.scale = 0.5, .causal = true}) * x[1]; },
      pair);
  check_same(
      "layer_norm", [](auto& x) { return tl::layer_norm(x[0], 4, x[1][0], x[1][1]) * x[1]; }, pair);
  check_same(
      "views",
      [](auto& x) {
        return tl::cat({x[0].flip(1), x[1].slice(0, 0, 3, 2)}).unfold(1, 2, 1) * 2;
      },
      pair);
  check_same("index", [](auto& x) { return x[0].index_select(0, x[1]) * 3; },
             {random({3, 4}), tl::tensor({2, 0, 2})});
  check_same(
      "cumsum", [](auto& x) { return x[0].cumsum(1) * x[1]; }, pair);
  check_same(
      "argmax", [](auto& x) { return x[0].argmax(1); }, pair);
}

TEST_CASE("remote: a row that is masked everywhere gives zeros when softmax is composed, too") {
  tl::Tensor x = tl::tensor({{1.0, 2.0}, {1.0, 2.0}}, {.device = "remote", .requires_grad = true});
  const tl::Tensor y = tl::attn_softmax(x, tl::tensor({{0.0, 0.0}, {-inf, -inf}}, there()));
  check_values(y, {2, 2}, {.26894142, .73105858, 0, 0});
  y.backward(tl::tensor({{1.0, 0.0}, {1.0, 1.0}}, there()));
  check_values(x.grad(), {2, 2}, {.19661193, -.19661193, 0, 0});
}

TEST_CASE("remote: random numbers are cpu's") {
  tl::Generator here{3, 0}, away{3, 0};
  CHECK(tl::eq(tl::randn(100, {.device = "cpu"}, &here), tl::randn(100, there(), &away).to("cpu"))
            .all()
            .item<bool>());
}

TEST_CASE("remote: changes in place reach the device's memory, through views and with gaps kept") {
  tl::Tensor x = tl::zeros({2, 3}, there());
  x.select(1, 1).fill_(5);
  x.slice(1, 0, 3, 2).erf_().add_(1);  // with gaps between the elements
  x[0].copy_(tl::tensor({7.0, 8.0, 9.0}));
  check_exact(x, {2, 3}, {7, 8, 9, 1, 5, 1});
}
