#include <torchlight/torchlight.h>

#include "support/tensor_checks.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using tl::test::check_close, tl::test::error_of, tl::test::says;

namespace {

const tl::Options f64{.dtype = tl::float64};

tl::Tensor input(const tl::Shape& shape) { return tl::randn(shape, f64).requires_grad_(); }

template <class M> std::vector<tl::Tensor> with_parameters(M& module, std::vector<tl::Tensor> inputs) {
  module.to(tl::float64);
  for (const tl::Tensor& parameter : module.parameters()) inputs.push_back(parameter);
  return inputs;
}

}  // namespace

TEST_CASE("recurrent: gradients agree with finite differences, through outputs and last states") {
  tl::manual_seed(5);
  const nn::RecurrentOptions options{.num_layers = 2, .bidirectional = true};
  const tl::Tensor lengths = tl::tensor({1, 2});
  nn::GRU gru(1, 2, options);
  CHECK(tl::gradcheck(
      [&](const auto& in) {
        const auto [y, h] = gru(in[0], in[1], lengths);
        return tl::cat({y.flatten(), h.flatten()});
      },
      with_parameters(gru, {input({2, 2, 1}), input({4, 2, 2})})));
  nn::LSTM lstm(1, 2, options);
  CHECK(tl::gradcheck(
      [&](const auto& in) {
        const auto [y, state] = lstm(in[0], {in[1], in[2]}, lengths);
        return tl::cat({y.flatten(), state.h.flatten(), state.c.flatten()});
      },
      with_parameters(lstm, {input({2, 2, 1}), input({4, 2, 2}), input({4, 2, 2})})));
  nn::RNN rnn(1, 2);
  CHECK(tl::gradcheck([&](const auto& in) { return rnn(in[0]).output.square(); },
                      with_parameters(rnn, {input({2, 1, 1})}), {.second_order = true}));
}

TEST_CASE("recurrent: what lies behind a sequence's end has no influence, not even NaN") {
  tl::manual_seed(6);
  const tl::Tensor lengths = tl::tensor({2, 0, 4});
  const nn::RecurrentOptions options{.batch_first = true, .bidirectional = true};
  nn::LSTM lstm(3, 2, options);
  tl::Tensor x = tl::randn({3, 4, 3});
  const auto clean = lstm(x, {}, lengths);
  x[0].slice(0, 2).fill_(std::nan(""));
  x[1].fill_(std::nan(""));
  const tl::Tensor leaf = x.clone().requires_grad_();
  const auto [y, state] = lstm(leaf, {}, lengths);
  CHECK(y.to_vector<float>() == clean.output.to_vector<float>());
  CHECK(state.c.to_vector<float>() == clean.state.c.to_vector<float>());
  CHECK(y[0].slice(0, 2).abs().max().item<double>() == 0);
  CHECK(state.h.select(1, 1).abs().max().item<double>() == 0);  // nothing read: as it began
  // Alone, without padding, a sequence gives the same.
  const auto [alone, last] = lstm(x.slice(0, 0, 1).slice(1, 0, 2));
  CHECK(tl::allclose(alone[0], y[0].slice(0, 0, 2)));
  CHECK(tl::allclose(last.h.select(1, 0), state.h.select(1, 0)));
}

TEST_CASE("recurrent: a long input is the same in one run or step by step") {
  nn::GRU gru(3, 4);
  const tl::Tensor x = tl::randn({7, 2, 3});
  const auto [y, h] = gru(x);
  tl::Tensor state;
  for (std::int64_t t = 0; t < 7; ++t) state = gru(x.slice(0, t, t + 1), state).h_n;
  CHECK(tl::allclose(state, h, 1e-5, 1e-6));
  CHECK(tl::allclose(y[6], h[0]));
}

TEST_CASE("recurrent: without a batch, as a module of a Sequential, printed") {
  nn::LSTM lstm(3, 4, {.num_layers = 2, .bidirectional = true});
  const tl::Tensor x = tl::randn({5, 3});
  const auto [y, state] = lstm(x);
  CHECK(y.shape() == tl::Shape{5, 8});
  CHECK(state.c.shape() == tl::Shape{4, 4});
  CHECK(tl::allclose(lstm(x.unsqueeze(1)).output.squeeze(1), y));
  nn::Sequential model(nn::GRU(3, 4), nn::Linear(4, 1));
  CHECK(model(tl::ones({5, 2, 3})).shape() == tl::Shape{5, 2, 1});
  CHECK(lstm.str() == "LSTM(3, 4, num_layers=2, bidirectional=True)");
  CHECK(nn::GRU(3, 4, {.bias = false, .batch_first = true, .dropout = 0.5}).str() ==
        "GRU(3, 4, bias=False, batch_first=True, dropout=0.5)");
}

TEST_CASE("recurrent: parameters have PyTorch's names and start within 1/sqrt(hidden_size)") {
  nn::LSTM lstm(3, 25, {.num_layers = 2, .bidirectional = true});
  std::string names;
  for (const auto& [name, parameter] : lstm.named_parameters()) {
    names += name + " ";
    CHECK(parameter.abs().max().item<double>() <= 0.2);
    CHECK(parameter.abs().max().item<double>() > 0.18);
  }
  CHECK(names.substr(0, 96) ==
        "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_ih_l0_reverse weight_hh_l0_reverse "
        "bias_i");
  CHECK(lstm.all_weights()[2].weight_ih.shape() == tl::Shape{100, 50});
}

TEST_CASE("recurrent: dropout between layers, in training only") {
  tl::manual_seed(1);
  nn::GRU gru(2, 3, {.num_layers = 2, .dropout = 0.5});
  const tl::Tensor x = tl::randn({4, 2, 2});
  const auto run = [&] { return gru(x).output.to_vector<float>(); };
  CHECK(run() != run());
  gru.eval();
  CHECK(run() == run());
}

TEST_CASE("recurrent: what doesn't fit is named") {
  nn::GRU gru(3, 4);
  const tl::Tensor x = tl::ones({5, 2, 3});
  CHECK(says(error_of([&] { gru(tl::ones({5, 2, 4})); }), "(5, 2, 4)", "3"));
  CHECK(says(error_of([&] { gru(tl::ones({3})); }), "(3,)"));
  CHECK(says(error_of([&] { gru(x, tl::ones({2, 2, 4})); }), "(2, 2, 4)", "(1, 2, 4)"));
  CHECK(says(error_of([&] { gru(x, {}, tl::tensor({5, 6})); }), "length 6", "position 1"));
  CHECK(says(error_of([&] { gru(x, {}, tl::tensor({5})); }), "(1,)", "(2,)"));
  CHECK(says(error_of([&] { gru(x, {}, tl::ones({2})); }), "int64", "float32"));
  CHECK(says(error_of([&] { gru(tl::ones({0, 2, 3})); }), "no steps"));
  CHECK(says(error_of([] { nn::RNN(3, 0); }), "hidden_size 0"));
  CHECK(says(error_of([] { nn::LSTM(3, INT64_MAX); }), "9223372036854775807", "too large"));
  CHECK(says(error_of([] { nn::RNN(3, 1, {.dropout = 2}); }), "dropout is 2"));
}
