#pragma once

#include <torchlight/nn/module.h>

#pragma GCC visibility push(default)
namespace torchlight::nn {

struct RecurrentOptions {
  std::int64_t num_layers = 1;  ///< each further layer runs over the outputs of the one before
  bool bias = true;
  bool batch_first = false;    ///< (N, T, …) instead of (T, N, …)
  double dropout = 0;          ///< between the layers, in training
  bool bidirectional = false;  ///< a second run from the end; outputs of both side by side
  std::optional<Device> device = {};
  std::optional<Dtype> dtype = {};
};

/// The parameters of one layer and direction, for G gates (RNN 1, GRU 3, LSTM 4) one below the other. They
/// start uniform in ±1/sqrt(hidden_size).
struct RecurrentWeights {
  Tensor weight_ih;  ///< (G hidden_size, input size of the layer)
  Tensor weight_hh;  ///< (G hidden_size, hidden_size)
  Tensor bias_ih;    ///< (G hidden_size), or undefined
  Tensor bias_hh;
};

/// What RNN, GRU and LSTM have in common. Below D is 2 where bidirectional is set and otherwise 1.
///
/// Input: x (T, N, input_size), (N, T, input_size) with batch_first, or (T, input_size). Lengths: int64 (N)
/// of 0 … T, how much of each sequence is real. What lies behind has no influence, gives output 0, and the
/// last state is the one at the sequence's own end; the reverse direction starts there.
///
/// The parameters are called weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, …
class Recurrent : public Module {
 public:
  /// Layer 0, layer 0 reversed, layer 1, …
  const std::vector<RecurrentWeights>& all_weights() const { return weights_; }
  std::string extra_repr() const override;

 protected:
  /// What tells RNN, GRU and LSTM apart.
  struct Kind {
    std::int64_t gates;
    bool has_cell;    ///< the state has a part c
    bool joins_bias;  ///< bias_hh may be added together with bias_ih
  };
  struct State {
    Tensor h, c;  ///< (num_layers D, N, hidden_size); c may be undefined
  };
  struct Result {
    Tensor output;
    State state;
  };
  /// One gate at one step: its part of W_ih x, with the bias, (N, hidden_size); and its part of W_hh and,
  /// where biases aren't joined, of bias_hh.
  struct Gate {
    Tensor from_input, weight_hh, bias_hh;
    Tensor operator()(const Tensor& h) const;  ///< W_hh h + bias_hh, without the input's part
  };
  using Gates = std::vector<Gate>;
  /// One step: changes the state (N, hidden_size).
  using Step = void (*)(const Gates& gates, State& state);

  Recurrent(Kind kind, std::int64_t input_size, std::int64_t hidden_size,
            const RecurrentOptions& options);
  Result run(Step step, const Tensor& x, const State& state, const Tensor& lengths) const;

 private:
  Result run_batch(Step step, const Tensor& x, const State& state, const Tensor& lengths) const;
  Result run_layer(Step step, std::int64_t layer, const Tensor& x, const State& first,
                   const Tensor& real) const;
  /// The gates of a layer at each step, from its input (T, N, …).
  std::vector<Gates> gates_at(const Tensor& x, const RecurrentWeights& weights) const;
  State initial(const Tensor& x, const State& given) const;

  Kind kind_;
  std::int64_t input_size_, hidden_size_;
  RecurrentOptions options_;
  std::vector<RecurrentWeights> weights_;
};

struct RecurrentResult {
  Tensor output;  ///< (T, N, D hidden_size): the last layer's states, dims as the input's
  Tensor h_n;     ///< (num_layers D, N, hidden_size): the last states
};

/// h' = nonlinearity(W_ih x + b_ih + W_hh h + b_hh). h0 is (num_layers D, N, hidden_size), 0 by default.
///
///   auto [output, h_n] = rnn(x);
class RNN : public Recurrent {
 public:
  enum class Nonlinearity { tanh, relu };
  RNN(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options = {},
      Nonlinearity nonlinearity = Nonlinearity::tanh);

  RecurrentResult forward(const Tensor& x, const Tensor& h0, const Tensor& lengths = {});
  RecurrentResult operator()(const Tensor& x, const Tensor& h0 = {}, const Tensor& lengths = {}) {
    return forward(x, h0, lengths);
  }
  Tensor forward(const Tensor& x) override { return forward(x, Tensor()).output; }

 private:
  Nonlinearity nonlinearity_;
};

/// r = σ(W_ir x + b_ir + W_hr h + b_hr), z likewise, n = tanh(W_in x + b_in + r (W_hn h + b_hn)),
/// h' = (1 - z) n + z h; the gates' order is r, z, n.
/// Source: Cho et al., Learning phrase representations using RNN encoder-decoder (2014), with r after the
/// product as cuDNN and PyTorch have it.
class GRU : public Recurrent {
 public:
  GRU(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options = {});

  RecurrentResult forward(const Tensor& x, const Tensor& h0, const Tensor& lengths = {});
  RecurrentResult operator()(const Tensor& x, const Tensor& h0 = {}, const Tensor& lengths = {}) {
    return forward(x, h0, lengths);
  }
  Tensor forward(const Tensor& x) override { return forward(x, Tensor()).output; }
};

/// What an LSTM remembers: hidden and cell state, (num_layers D, N, hidden_size) each; 0 where undefined.
struct LSTMState {
  Tensor h = {}, c = {};
};

struct LSTMResult {
  Tensor output;  ///< (T, N, D hidden_size)
  LSTMState state;
};

/// i, f, o = σ(W x + b + W' h + b'), g = tanh of the same, c' = f c + i g, h' = o tanh(c'); the gates' order
/// is i, f, g, o.
/// Source: Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000).
///
///   auto [output, state] = lstm(x, {h0, c0});
class LSTM : public Recurrent {
 public:
  LSTM(std::int64_t input_size, std::int64_t hidden_size, RecurrentOptions options = {});

  LSTMResult forward(const Tensor& x, const LSTMState& state, const Tensor& lengths = {});
  LSTMResult operator()(const Tensor& x, const LSTMState& state = {}, const Tensor& lengths = {}) {
    return forward(x, state, lengths);
  }
  Tensor forward(const Tensor& x) override { return forward(x, LSTMState()).output; }
};

}  // namespace torchlight::nn
#pragma GCC visibility pop
