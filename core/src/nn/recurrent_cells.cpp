#include <torchlight/nn/recurrent.h>
#include <torchlight/ops.h>

/// The formulas of RNN, GRU and LSTM, one step each.
namespace torchlight::nn {
namespace {

// Templates let them see Recurrent's types, which are protected.

template <class Gate> Tensor sum(const Gate& gate, const Tensor& h) {
  return gate.from_input + gate(h);
}

template <class Gates, class State> void tanh_step(const Gates& gates, State& state) {
  state.h = tanh(sum(gates[0], state.h));
}

template <class Gates, class State> void relu_step(const Gates& gates, State& state) {
  state.h = relu(sum(gates[0], state.h));
}

template <class Gates, class State> void gru_step(const Gates& gates, State& state) {
  const Tensor r = sigmoid(sum(gates[0], state.h)), z = sigmoid(sum(gates[1], state.h));
  const Tensor n = tanh(gates[2].from_input + r * gates[2](state.h));
  state.h = n + z * (state.h - n);
}

template <class Gates, class State> void lstm_step(const Gates& gates, State& state) {
  const Tensor i = sigmoid(sum(gates[0], state.h)), f = sigmoid(sum(gates[1], state.h));
  const Tensor g = tanh(sum(gates[2], state.h)), o = sigmoid(sum(gates[3], state.h));
  state.c = f * state.c + i * g;
  state.h = o * tanh(state.c);
}

}  // namespace

RNN::RNN(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options,
         Nonlinearity nonlinearity)
    : Recurrent({.gates = 1, .has_cell = false, .joins_bias = true}, input_size, hidden_size, options),
      nonlinearity_(nonlinearity) {}

RecurrentResult RNN::forward(const Tensor& x, const Tensor& h0, const Tensor& lengths) {
  const Step step =
      nonlinearity_ == Nonlinearity::tanh ? &tanh_step<Gates, State> : &relu_step<Gates, State>;
  const Result result = run(step, x, {h0, {}}, lengths);
  return {result.output, result.state.h};
}

GRU::GRU(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options)
    : Recurrent({.gates = 3, .has_cell = false, .joins_bias = false}, input_size, hidden_size,
                options) {}

RecurrentResult GRU::forward(const Tensor& x, const Tensor& h0, const Tensor& lengths) {
  const Result result = run(&gru_step<Gates, State>, x, {h0, {}}, lengths);
  return {result.output, result.state.h};
}

LSTM::LSTM(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options)
    : Recurrent({.gates = 4, .has_cell = true, .joins_bias = true}, input_size, hidden_size, options) {}

LSTMResult LSTM::forward(const Tensor& x, const LSTMState& state, const Tensor& lengths) {
  const Result result = run(&lstm_step<Gates, State>, x, {state.h, state.c}, lengths);
  return {result.output, {result.state.h, result.state.c}};
}

}  // namespace torchlight::nn
