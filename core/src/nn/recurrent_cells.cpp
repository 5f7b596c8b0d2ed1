#include <torchlight/nn/functional/layers.h>
#include <torchlight/nn/recurrent.h>
#include <torchlight/ops.h>

/// The formulas of RNN, GRU and LSTM, one step each.
namespace torchlight::nn {
namespace {

// Templates let them see Recurrent's State, which is protected.
template <class State>
void tanh_step(const Tensor& from_input, const RecurrentWeights& w, State& state) {
  state.h = tanh(from_input + functional::linear(state.h, w.weight_hh));
}

template <class State>
void relu_step(const Tensor& from_input, const RecurrentWeights& w, State& state) {
  state.h = relu(from_input + functional::linear(state.h, w.weight_hh));
}

template <class State>
void gru_step(const Tensor& from_input, const RecurrentWeights& w, State& state) {
  const std::int64_t size = state.h.size(-1);
  const Tensor from_state = functional::linear(state.h, w.weight_hh, w.bias_hh);
  const Tensor gates = sigmoid(from_input.slice(-1, 0, 2 * size) + from_state.slice(-1, 0, 2 * size));
  const Tensor r = gates.slice(-1, 0, size), z = gates.slice(-1, size);
  const Tensor n = tanh(from_input.slice(-1, 2 * size) + r * from_state.slice(-1, 2 * size));
  state.h = n + z * (state.h - n);
}

template <class State>
void lstm_step(const Tensor& from_input, const RecurrentWeights& w, State& state) {
  const std::int64_t size = state.h.size(-1);
  const Tensor sums = from_input + functional::linear(state.h, w.weight_hh);
  const Tensor gates = sigmoid(sums.slice(-1, 0, 2 * size));
  const Tensor i = gates.slice(-1, 0, size), f = gates.slice(-1, size);
  const Tensor g = tanh(sums.slice(-1, 2 * size, 3 * size));
  const Tensor o = sigmoid(sums.slice(-1, 3 * size));
  state.c = f * state.c + i * g;
  state.h = o * tanh(state.c);
}

}  // namespace

RNN::RNN(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options,
         Nonlinearity nonlinearity)
    : Recurrent({.gates = 1, .has_cell = false, .joins_bias = true}, input_size, hidden_size, options),
      nonlinearity_(nonlinearity) {}

RecurrentResult RNN::forward(const Tensor& x, const Tensor& h0, const Tensor& lengths) {
  const Step step = nonlinearity_ == Nonlinearity::tanh ? &tanh_step<State> : &relu_step<State>;
  const Result result = run(step, x, {h0, {}}, lengths);
  return {result.output, result.state.h};
}

GRU::GRU(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options)
    : Recurrent({.gates = 3, .has_cell = false, .joins_bias = false}, input_size, hidden_size,
                options) {}

RecurrentResult GRU::forward(const Tensor& x, const Tensor& h0, const Tensor& lengths) {
  const Result result = run(&gru_step<State>, x, {h0, {}}, lengths);
  return {result.output, result.state.h};
}

LSTM::LSTM(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options)
    : Recurrent({.gates = 4, .has_cell = true, .joins_bias = true}, input_size, hidden_size, options) {}

LSTMResult LSTM::forward(const Tensor& x, const LSTMState& state, const Tensor& lengths) {
  const Result result = run(&lstm_step<State>, x, {state.h, state.c}, lengths);
  return {result.output, {result.state.h, result.state.c}};
}

}  // namespace torchlight::nn
