#include <torchlight/autograd.h>

#include "autograd/on_arrays.h"
#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {
namespace {

using autograd::Pass;

/// The gradient a pass starts with: the one given, or 1 for a tensor of one element.
Tensor starting_gradient(const char* operation, const Tensor& of, const Tensor& given) {
  if (!given.defined()) {
    if (of.numel() != 1)
      throw Error(text(
          operation, ": a tensor of shape ", of.shape().str(),
          " needs a gradient of that shape to start from; only one element goes without (sum() it?)"));
    return ones_like(of);
  }
  require_gradient_of(operation, array_of(of), array_of(given));
  return given;
}

Node& history_of(const char* operation, const Tensor& x) {
  if (!node_of(x))
    throw Error(text(operation,
                     ": this tensor has no history; no input of it required grad, or it was made under "
                     "no_grad"));
  return *node_of(x);
}

/// Runs a pass on V, with recording as that asks for.
template <class V> void run_pass(Pass<V>& pass, BackwardOptions options) {
  pass.create_graph = options.create_graph;
  pass.retain_graph = options.retain_graph || options.create_graph;
  const bool before = autograd::set_recording(options.create_graph);
  struct Restore {
    bool value;
    ~Restore() { autograd::set_recording(value); }
  } restore{before};
  if constexpr (std::is_same_v<V, Array>)
    autograd::run_on_arrays(pass);
  else
    autograd::run(pass);
}

}  // namespace

void Tensor::backward(const Tensor& gradient, BackwardOptions options) const {
  Node& root = history_of("backward", *this);
  const Tensor start = starting_gradient("backward", *this, gradient);
  if (options.create_graph) {
    Pass<Tensor> pass;
    pass.roots.emplace_back(&root, start);
    run_pass(pass, options);
  } else {
    Pass<Array> pass;
    pass.roots.emplace_back(&root, array_of(start));
    run_pass(pass, options);
  }
}

namespace {

template <class V>
std::vector<Tensor> collect(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                            const std::vector<Tensor>& gradients, BackwardOptions options) {
  Pass<V> pass;
  std::unordered_map<Node*, V> wanted;
  for (const Tensor& x : inputs) wanted.emplace(&history_of("grad", x), V());
  pass.collect = &wanted;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor start =
        starting_gradient("grad", outputs[i], i < gradients.size() ? gradients[i] : Tensor());
    pass.roots.emplace_back(&history_of("grad", outputs[i]),
                            autograd::Values<V>::make(start.impl().variable));
  }
  run_pass(pass, options);
  std::vector<Tensor> results;
  for (const Tensor& x : inputs) {
    const Variable found = autograd::Values<V>::read(wanted.at(node_of(x).get()));
    results.push_back(found.array.defined() ? make_tensor(found.array, found.node) : Tensor());
  }
  return results;
}

}  // namespace

std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& output_gradients, BackwardOptions options) {
  if (!output_gradients.empty() && output_gradients.size() != outputs.size())
    throw Error(
        text("grad: ", output_gradients.size(), " output gradients for ", outputs.size(), " outputs"));
  return options.create_graph ? collect<Tensor>(outputs, inputs, output_gradients, options)
                              : collect<Array>(outputs, inputs, output_gradients, options);
}

}  // namespace torchlight
