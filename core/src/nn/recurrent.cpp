#include <torchlight/nn/recurrent.h>

#include <cmath>

#include <torchlight/nn/functional.h>
#include <torchlight/nn/init.h>

#include "nn/affine.h"
#include "nn/labels.h"
#include "support/text.h"

namespace torchlight::nn {
namespace {

/// The rows of x along dim 0. By halves, so that the gradient is put together in log(T) passes over x and
/// not in one pass for each row.
void split_rows(const Tensor& x, std::vector<Tensor>& rows) {
  const std::int64_t count = x.size(0);
  if (count == 1) {
    rows.push_back(x.squeeze(0));
  } else if (count > 1) {
    split_rows(x.slice(0, 0, count / 2), rows);
    split_rows(x.slice(0, count / 2), rows);
  }
}

std::vector<Tensor> rows_of(const Tensor& x) {
  std::vector<Tensor> rows;
  split_rows(x, rows);
  return rows;
}

/// Which steps are real, (T, N, 1), or undefined where all are.
Tensor real_steps(const Tensor& lengths, const Tensor& x) {
  if (!lengths.defined()) return {};
  require_int64("Recurrent", "lengths", lengths);
  if (lengths.shape() != Shape(x.size(1)))
    throw Error(text("Recurrent: lengths are ", lengths.shape().str(), " and should be ",
                     Shape(x.size(1)).str(), ", one for each sequence"));
  check_numbers("Recurrent", "length", "possible lengths", lengths, x.size(0) + 1);
  const Tensor step =
      arange(static_cast<double>(x.size(0)), {.dtype = int64, .device = lengths.device()});
  return (step.unsqueeze(1) < lengths.unsqueeze(0)).unsqueeze(-1);
}

std::string name_of(const char* what, std::int64_t layer, bool reverse) {
  return text(what, "_l", layer, reverse ? "_reverse" : "");
}

std::int64_t checked_sizes(std::int64_t input_size, std::int64_t hidden_size,
                           const RecurrentOptions& o) {
  if (input_size < 1 || hidden_size < 1 || o.num_layers < 1)
    throw Error(text("Recurrent: input_size ", input_size, ", hidden_size ", hidden_size,
                     " and num_layers ", o.num_layers, " must be positive"));
  if (input_size > INT32_MAX || hidden_size > INT32_MAX || o.num_layers > INT32_MAX)
    throw Error(text("Recurrent: input_size ", input_size, ", hidden_size ", hidden_size,
                     " or num_layers ", o.num_layers, " is too large"));
  if (!(o.dropout >= 0 && o.dropout <= 1))
    throw Error(text("Recurrent: the dropout is ", o.dropout, ", not in 0 … 1"));
  return input_size;
}

}  // namespace

Recurrent::Recurrent(Kind kind, std::int64_t input_size, std::int64_t hidden_size,
                     const RecurrentOptions& o)
    : kind_(kind),
      input_size_(checked_sizes(input_size, hidden_size, o)),
      hidden_size_(hidden_size),
      options_(o) {
  const std::int64_t directions = o.bidirectional ? 2 : 1, rows = kind.gates * hidden_size;
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  for (std::int64_t layer = 0; layer < o.num_layers; ++layer)
    for (const bool reverse : {false, true}) {
      if (reverse && !o.bidirectional) continue;
      const auto parameter = [&](const char* name, bool wanted, const Shape& shape) {
        Tensor value = make_parameter(wanted, shape, o.device, o.dtype);
        if (wanted) init::uniform_(value, -bound, bound);
        return register_parameter(name_of(name, layer, reverse), value);
      };
      const std::int64_t columns = layer == 0 ? input_size : directions * hidden_size;
      RecurrentWeights w;
      w.weight_ih = parameter("weight_ih", true, {rows, columns});
      w.weight_hh = parameter("weight_hh", true, {rows, hidden_size});
      w.bias_ih = parameter("bias_ih", o.bias, rows);
      w.bias_hh = parameter("bias_hh", o.bias, rows);
      weights_.push_back(w);
    }
}

std::string Recurrent::extra_repr() const {
  std::string repr = text(input_size_, ", ", hidden_size_);
  if (options_.num_layers != 1) repr += text(", num_layers=", options_.num_layers);
  if (!options_.bias) repr += ", bias=False";
  if (options_.batch_first) repr += ", batch_first=True";
  if (options_.dropout != 0) repr += text(", dropout=", options_.dropout);
  if (options_.bidirectional) repr += ", bidirectional=True";
  return repr;
}

Tensor Recurrent::Gate::operator()(const Tensor& h) const {
  return functional::linear(h, weight_hh, bias_hh);
}

/// Each gate by itself: a gate cut out of a common product would cost its gradient a pass over all gates at
/// every step. The input's part is one product for all steps.
std::vector<Recurrent::Gates> Recurrent::gates_at(const Tensor& x, const RecurrentWeights& w) const {
  std::vector<Gates> steps(static_cast<std::size_t>(x.size(0)));
  const auto part = [&](const Tensor& all, std::int64_t gate) {
    return all.defined() ? all.slice(0, gate * hidden_size_, (gate + 1) * hidden_size_) : all;
  };
  for (std::int64_t gate = 0; gate < kind_.gates; ++gate) {
    Tensor bias = part(w.bias_ih, gate), state_bias = part(w.bias_hh, gate);
    if (kind_.joins_bias && bias.defined()) {
      bias = bias + state_bias;
      state_bias = {};
    }
    const Tensor weight_hh = part(w.weight_hh, gate);
    const std::vector<Tensor> inputs = rows_of(functional::linear(x, part(w.weight_ih, gate), bias));
    for (std::size_t t = 0; t < steps.size(); ++t)
      steps[t].push_back({inputs[t], weight_hh, state_bias});
  }
  return steps;
}

/// One layer in all its directions: x (T, N, …) → (T, N, D hidden_size) and the last states (D, N, hidden).
Recurrent::Result Recurrent::run_layer(Step step, std::int64_t layer, const Tensor& x,
                                       const State& first, const Tensor& real) const {
  const std::int64_t directions = options_.bidirectional ? 2 : 1, steps = x.size(0);
  const std::vector<Tensor> real_at = real.defined() ? rows_of(real) : std::vector<Tensor>();
  std::vector<Tensor> outputs, last_h, last_c;
  for (std::int64_t direction = 0; direction < directions; ++direction) {
    const std::int64_t at = layer * directions + direction;
    const std::vector<Gates> gates = gates_at(x, weights_[static_cast<std::size_t>(at)]);
    State now{first.h[at], kind_.has_cell ? first.c[at] : Tensor()};
    std::vector<Tensor> hidden(gates.size());
    for (std::int64_t i = 0; i < steps; ++i) {
      const auto t = static_cast<std::size_t>(direction == 0 ? i : steps - 1 - i);
      State next = now;
      step(gates[t], next);
      hidden[t] = next.h;
      if (real.defined()) {  // behind the end nothing changes, and nothing comes out
        hidden[t] = where(real_at[t], next.h, 0);
        next.h = where(real_at[t], next.h, now.h);
        if (kind_.has_cell) next.c = where(real_at[t], next.c, now.c);
      }
      now = next;
    }
    outputs.push_back(stack(hidden));
    last_h.push_back(now.h);
    last_c.push_back(now.c);
  }
  return {directions == 1 ? outputs[0] : cat(outputs, -1),
          {stack(last_h), kind_.has_cell ? stack(last_c) : Tensor()}};
}

/// The states at the start, each as given or 0.
Recurrent::State Recurrent::initial(const Tensor& x, const State& given) const {
  const Shape shape{static_cast<std::int64_t>(weights_.size()), x.size(1), hidden_size_};
  const auto one = [&](const char* name, const Tensor& state) {
    if (!state.defined()) return zeros(shape, {.dtype = x.dtype(), .device = x.device()});
    if (state.shape() != shape)
      throw Error(text("Recurrent: the first state ", name, " is ", state.shape().str(),
                       " and should be ", shape.str()));
    return state;
  };
  return {one("h", given.h), kind_.has_cell ? one("c", given.c) : Tensor()};
}

/// x (T, N, input_size)
Recurrent::Result Recurrent::run_batch(Step step, const Tensor& x, const State& state,
                                       const Tensor& lengths) const {
  if (x.size(0) == 0) throw Error(text("Recurrent: the input ", x.shape().str(), " has no steps"));
  const State first = initial(x, state);
  const Tensor real = real_steps(lengths, x);
  Tensor y = x;
  std::vector<Tensor> last_h, last_c;
  for (std::int64_t layer = 0; layer < options_.num_layers; ++layer) {
    if (layer > 0) y = functional::dropout(y, options_.dropout, is_training());
    const Result result = run_layer(step, layer, y, first, real);
    y = result.output;
    last_h.push_back(result.state.h);
    last_c.push_back(result.state.c);
  }
  return {y, {cat(last_h), kind_.has_cell ? cat(last_c) : Tensor()}};
}

Recurrent::Result Recurrent::run(Step step, const Tensor& x, const State& state,
                                 const Tensor& lengths) const {
  if ((x.dim() != 2 && x.dim() != 3) || x.size(-1) != input_size_)
    throw Error(text("Recurrent: the input must be (T, N, ", input_size_, "), (N, T, ", input_size_,
                     ") with batch_first, or (T, ", input_size_, "), not ", x.shape().str()));
  const auto maybe = [](const Tensor& t, auto change) { return t.defined() ? change(t) : t; };
  if (x.dim() == 3) {
    const auto turned = [&](const Tensor& t) { return options_.batch_first ? t.transpose(0, 1) : t; };
    Result result = run_batch(step, turned(x), state, lengths);
    return {turned(result.output), result.state};
  }
  const auto with_batch = [](const Tensor& t) { return t.unsqueeze(1); };
  const auto without_batch = [](const Tensor& t) { return t.squeeze(1); };
  const Result result =
      run_batch(step, with_batch(x), {maybe(state.h, with_batch), maybe(state.c, with_batch)},
                maybe(lengths, [](const Tensor& t) { return t.reshape({1}); }));
  return {without_batch(result.output),
          {without_batch(result.state.h), maybe(result.state.c, without_batch)}};
}

}  // namespace torchlight::nn
