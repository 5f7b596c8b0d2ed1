#include <cmath>

#include "common.h"

namespace {

// A module's gradient with respect to its input and every parameter.
void check_gradients(nn::Module& module, const tl::Tensor& x) {
  std::vector<tl::Tensor> inputs{x};
  module.to(tl::float64);
  for (const tl::Tensor& parameter : module.parameters()) inputs.push_back(parameter);
  CHECK(tl::gradcheck([&](const std::vector<tl::Tensor>& in) { return module(in[0]); }, inputs));
}

}  // namespace

TEST_CASE("linear: computes x W^T + b over the last dim") {
  const tl::Tensor weight = tl::tensor({{1., 2.}, {3., 4.}, {5., 6.}}),
                   bias = tl::tensor({10., 20., 30.});
  check_close(F::linear(tl::tensor({1., -1.}), weight, bias), 3, {9, 19, 29});
  check_close(F::linear(tl::tensor({{{2., 0.}}, {{0., 1.}}}), weight), {2, 1, 3}, {2, 6, 10, 2, 4, 6});
  CHECK(says(error_of([&] { F::linear(tl::ones({2, 3}), weight); }), "linear", "(2, 3)", "(3, 2)"));
}

TEST_CASE("linear: starts uniform within 1/sqrt(in_features), by the seed") {
  tl::manual_seed(5);
  const nn::Linear a(100, 50);
  CHECK(a.weight.abs().max().item<double>() <= 0.1);
  CHECK(a.weight.abs().max().item<double>() > 0.099);
  CHECK(a.weight.std().item<double>() == doctest::Approx(0.1 / std::sqrt(3.0)).epsilon(0.05));
  CHECK(a.bias.abs().max().item<double>() <= 0.1);
  tl::manual_seed(5);
  CHECK(nn::Linear(100, 50).weight.to_vector<float>() == a.weight.to_vector<float>());
  tl::manual_seed(6);
  CHECK(nn::Linear(100, 50).weight.to_vector<float>() != a.weight.to_vector<float>());
}

TEST_CASE("linear, layer norm, activations: gradients agree with finite differences") {
  nn::Linear linear(3, 2);
  check_gradients(linear, input({2, 4, 3}));
  nn::LayerNorm norm({2, 3});
  check_gradients(norm, input({4, 2, 3}));
  nn::Sequential activations(nn::Tanh(), nn::Sigmoid(), nn::SiLU(), nn::GELU(),
                             nn::GELU(nn::GELU::Approximate::tanh), nn::LeakyReLU(0.1), nn::ReLU(),
                             nn::Softmax(1), nn::LogSoftmax(-1));
  check_gradients(activations, input({2, 3}));
}

TEST_CASE("activations: are the functions of the same names") {
  const tl::Tensor x = tl::tensor({-2., 0., 3.});
  check_close(nn::ReLU()(x), 3, {0, 0, 3});
  check_close(nn::LeakyReLU(0.5)(x), 3, {-1, 0, 3});
  check_close(nn::Sigmoid()(x), 3, {0.11920292, 0.5, 0.95257413});
  check_close(nn::Tanh()(x), 3, {-0.96402758, 0, 0.99505475});
  check_close(nn::SiLU()(x), 3, {-0.23840584, 0, 2.8577224});
  check_close(nn::GELU()(x), 3, {-0.045500264, 0, 2.9959503});
  check_close(nn::GELU(nn::GELU::Approximate::tanh)(x), 3, {-0.045402306, 0, 2.9963627});
  check_close(nn::Softmax(0)(x), 3, {0.006377460, 0.04712342, 0.9464991});
  check_close(nn::LogSoftmax(0)(x), 3, {-5.0549852, -3.0549852, -0.0549852});
}

TEST_CASE("layer norm: normalises the last dims, then scales and shifts") {
  nn::LayerNorm norm(4);
  nn::init::constant_(norm.weight, 2);
  nn::init::constant_(norm.bias, 1);
  const double d = std::sqrt(1.25 + 1e-5);
  check_close(norm(tl::tensor({{1., 2., 3., 4.}})), {1, 4},
              {1 - 3 / d, 1 - 1 / d, 1 + 1 / d, 1 + 3 / d});
  CHECK(nn::LayerNorm(4, {.elementwise_affine = false}).parameters().empty());
  CHECK(nn::LayerNorm(4, {.bias = false}).parameters().size() == 1);
}

TEST_CASE("dropout: zeros by chance, scales what stays, and does nothing in evaluation") {
  tl::manual_seed(1);
  nn::Dropout dropout(0.25);
  const tl::Tensor x = tl::ones({40000});
  const auto values = dropout(x).to_vector<float>();
  double zeros = 0;
  for (const float value : values) {
    zeros += value == 0;
    CHECK((value == 0 || value == doctest::Approx(4.0 / 3)));
  }
  CHECK(zeros / 40000 == doctest::Approx(0.25).epsilon(0.03));
  CHECK(dropout(x).to_vector<float>() != values);
  tl::manual_seed(1);
  CHECK(dropout(x).to_vector<float>() == values);
  dropout.eval();
  CHECK(dropout(x).to_vector<float>() == x.to_vector<float>());
}

TEST_CASE("dropout: the gradient flows where the value did; bad probabilities are refused") {
  const tl::Tensor x = tl::ones({100}, {.requires_grad = true});
  const tl::Tensor y = F::dropout(x, 0.5);
  y.sum().backward();
  CHECK(x.grad().to_vector<float>() == y.to_vector<float>());
  check_close(F::dropout(tl::tensor({3., 4.}), 1), 2, {0, 0});
  check_close(F::dropout(tl::tensor({3., 4.}), 0), 2, {3, 4});
  CHECK(says(error_of([] { nn::Dropout(1.5); }), "Dropout", "1.5"));
  CHECK(says(error_of([] { F::dropout(tl::ones({1}), -0.1); }), "dropout", "-0.1"));
  CHECK(error_of([] { nn::Dropout(std::nan("")); }) != "");
}

TEST_CASE("flatten: joins dims from the second on") {
  CHECK(nn::Flatten()(tl::ones({2, 3, 4, 5})).shape() == tl::Shape{2, 60});
  CHECK(nn::Flatten(0, 1)(tl::ones({2, 3, 4})).shape() == tl::Shape{6, 4});
}

TEST_CASE("sequential: chains modules, functions and shared modules") {
  const auto shared = std::make_shared<nn::Linear>(2, 2);
  nn::Sequential model(
      shared, [](const tl::Tensor& x) { return x * 0 + 3; }, tl::square);
  model.push_back("last", nn::ReLU());
  CHECK(model.size() == 4);
  CHECK(&model[0] == shared.get());
  CHECK(model.children()[3].name == "last");
  check_close(model(tl::ones({1, 2})), {1, 2}, {9, 9});
  CHECK(says(error_of([&] { model[4]; }), "Sequential", "4"));
}
