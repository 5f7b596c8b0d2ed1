#include <doctest/doctest.h>

#include <limits>

#include "reference.h"

namespace tl = torchlight;
namespace nn = torchlight::nn;
using tl::test::ReferenceCase, tl::test::ReferenceRun;

namespace {

using Nonlinearity = nn::RNN::Nonlinearity;

ReferenceRun run_of(const std::string& kind, const nn::RecurrentOptions& options) {
  return [=](ReferenceCase& c) -> tl::StateDict {
    const tl::Tensor lengths = c.maybe("lengths");
    if (kind == "lstm") {
      nn::LSTM lstm(3, 4, options);
      const auto [y, state] =
          c.load(lstm)(c.in("x"), nn::LSTMState{c.maybe("h0"), c.maybe("c0")}, lengths);
      return {{"y", y}, {"h", state.h}, {"c", state.c}};
    }
    if (kind == "gru") {
      nn::GRU gru(3, 4, options);
      const auto [y, h] = c.load(gru)(c.in("x"), c.maybe("h0"), lengths);
      return {{"y", y}, {"h", h}};
    }
    nn::RNN rnn(3, 4, options, kind == "rnn_relu" ? Nonlinearity::relu : Nonlinearity::tanh);
    const auto [y, h] = c.load(rnn)(c.in("x"), c.maybe("h0"), lengths);
    return {{"y", y}, {"h", h}};
  };
}

}  // namespace

TEST_CASE("reference: RNN, GRU and LSTM, deep, in both directions and with lengths, are PyTorch's") {
  std::map<std::string, ReferenceRun> runs;
  for (const std::string kind : {"rnn_tanh", "rnn_relu", "gru", "lstm"}) {
    runs[kind + "_plain"] = run_of(kind, {});
    runs[kind + "_deep"] = run_of(kind, {.num_layers = 2, .bidirectional = true});
    runs[kind + "_batch_first"] = run_of(kind, {.bias = false, .batch_first = true});
    runs[kind + "_lengths"] =
        run_of(kind, {.num_layers = 2, .batch_first = true, .bidirectional = true});
  }
  tl::test::check_reference("recurrent", runs);
}

TEST_CASE("reference: gradients clipped by norm are PyTorch's") {
  std::map<std::string, ReferenceRun> runs;
  for (const auto& [name, type] : std::map<std::string, double>{
           {"1", 1}, {"2", 2}, {"inf", std::numeric_limits<double>::infinity()}}) {
    runs["clip_" + name] = [type = type](ReferenceCase& c) -> tl::StateDict {
      std::vector<tl::Tensor> parameters{c.in("a"), tl::ones({1}, {.requires_grad = true}), c.in("b")};
      parameters[0].set_grad(parameters[0].detach().clone());
      parameters[2].set_grad(parameters[2].detach().clone());
      const tl::Tensor total = nn::utils::clip_grad_norm_(parameters, 1.5, {.norm_type = type});
      return {{"total", total}, {"a", parameters[0].grad()}, {"b", parameters[2].grad()}};
    };
  }
  tl::test::check_reference("clipping", runs);
}
