#include <torchlight/autograd.h>
#include <torchlight/random.h>

#include <cmath>

#include "autograd/mode.h"
#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {
namespace {

/// A fixed direction to weigh the outputs with, so that every output counts and none cancels.
Tensor direction_like(const Tensor& y) {
  Generator generator{0x5eed, 0};
  return uniform(y.shape(), 0.5, 1.5, {.dtype = y.dtype(), .device = y.device()}, &generator);
}

double weighted(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
                const std::vector<Tensor>& inputs, const Tensor& direction) {
  const no_grad guard;
  return sum(fn(inputs) * direction).item<double>();
}

std::vector<Tensor> leaves_of(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i];
    if (is_floating(x.dtype()) && x.dtype() != float64)
      throw Error(text("gradcheck: input ", i, " is ", name_of(x.dtype()),
                       "; finite differences need float64 inputs"));
    Tensor leaf = x.detach().clone();
    if (x.dtype() == float64 && x.requires_grad()) leaf.requires_grad_();
    leaves.push_back(leaf);
  }
  return leaves;
}

void check_first_order(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
                       const std::vector<Tensor>& inputs, const GradcheckOptions& options,
                       const char* which) {
  const std::vector<Tensor> leaves = leaves_of(inputs);
  const Tensor y = fn(leaves);
  if (y.dtype() != float64)
    throw Error(text("gradcheck: the function gives ", name_of(y.dtype()), "; it must give float64"));
  const Tensor direction = direction_like(y);
  if (y.requires_grad()) y.backward(direction);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].requires_grad()) continue;
    const Tensor gradient = leaves[i].grad().defined() ? leaves[i].grad() : zeros_like(leaves[i]);
    const std::vector<double> analytic = gradient.to_vector<double>();
    const std::vector<double> values = leaves[i].to_vector<double>();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto at = [&](double value) {
        std::vector<Tensor> moved = leaves;
        std::vector<double> changed = values;
        changed[k] = value;
        moved[i] =
            torchlight::reshape(tensor(changed, {.device = leaves[i].device()}), leaves[i].shape());
        return weighted(fn, moved, direction);
      };
      const double numeric =
          (at(values[k] + options.eps) - at(values[k] - options.eps)) / (2 * options.eps);
      const double difference = std::abs(analytic[k] - numeric);
      if (!(difference <= options.atol + options.rtol * std::abs(numeric)))
        throw Error(text("gradcheck: ", which, "element ", k, " of input ", i, ": backward gives ",
                         analytic[k], ", finite differences give ", numeric));
    }
  }
}

}  // namespace

bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
               const std::vector<Tensor>& inputs, GradcheckOptions options) {
  check_first_order(fn, inputs, options, "");
  if (!options.second_order) return true;
  // The gradient is itself a function of the inputs: check that one in the same way.
  const auto gradient = [&](const std::vector<Tensor>& at) {
    const bool before = is_grad_enabled();
    std::vector<Tensor> leaves;
    for (const Tensor& x : at) {
      Tensor leaf = x;
      if (leaf.dtype() == float64 && !leaf.requires_grad()) leaf = x.detach().requires_grad_();
      leaves.push_back(leaf);
    }
    const bool recording = autograd::set_recording(true);
    const Tensor y = fn(leaves);
    std::vector<Tensor> wanted;
    for (std::size_t i = 0; i < at.size(); ++i)
      if (inputs[i].requires_grad()) wanted.push_back(leaves[i]);
    std::vector<Tensor> parts;
    for (const Tensor& g : grad({y}, wanted, {direction_like(y)}, {.create_graph = true}))
      if (g.defined()) parts.push_back(g.reshape({-1}));
    autograd::set_recording(recording);
    Tensor all = cat(parts);
    return before ? all : all.detach();
  };
  check_first_order(gradient, inputs, options, "second order, ");
  return true;
}

}  // namespace torchlight
