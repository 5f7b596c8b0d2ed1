#include "tensor/record.h"

#include <algorithm>

#include "autograd/mode.h"
#include "autograd/on_arrays.h"
#include "dispatch/observer.h"
#include "support/text.h"

namespace torchlight {
namespace {

bool wants_history(Op op, Inputs inputs) {
  if (!autograd::is_recording() || !autograd::has_rule(op)) return false;
  return std::ranges::any_of(inputs, [](const Tensor* x) { return x->defined() && node_of(*x); });
}

/// A view whose storage was changed through another view has a history that tells of older values.
void require_fresh(Op op, const Tensor& x) {
  const TensorImpl& impl = x.impl();
  if (!impl.variable.node || impl.variable.node->is_leaf()) return;
  if (impl.variable.array.storage().version() != impl.history_version)
    throw Error(
        text(name_of(op), ": a tensor of shape ", x.shape().str(),
             " was changed in place through another view since it was made, so its history is no "
             "longer its values'; take the view again after the change"));
}

/// Which inputs' values some gradient that will be asked for needs, and whether it needs the output.
unsigned needs_of_all(Op op, Inputs inputs) {
  unsigned needs = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]->defined() && node_of(*inputs[i]))
      needs |= autograd::needs_of(op, static_cast<int>(i));
  return needs;
}

}  // namespace

void refuse_undefined(std::string_view operation) {
  throw Error(text(operation, ": got an undefined tensor; it holds nothing yet"));
}

void tell_observers(const Tensor& x) {
  if (x.defined()) dispatch::tell([&](dispatch::Observer& observer) { observer.met(x.impl()); });
}

Ref<Node> make_node(Op op, Inputs inputs, const Attributes* attributes) {
  if (dispatch::is_observed()) [[unlikely]]
    for (const Tensor* x : inputs) tell_observers(*x);
  if (!wants_history(op, inputs)) return nullptr;
  Ref<Node> node = make_ref<Node>(op, autograd::next_sequence());
  if (attributes) node->attributes = *attributes;
  const unsigned needs = needs_of_all(op, inputs);
  node->reserve_inputs(static_cast<int>(inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = *inputs[i];
    if (!x.defined()) {
      node->add_input(nullptr, Array(), false);
      continue;
    }
    require_fresh(op, x);
    const bool is_differentiable = is_floating(x.dtype());
    node->add_input(is_differentiable ? node_of(x) : nullptr, array_of(x), i < 3 && (needs >> i & 1));
  }
  return node;
}

void save_output(Node& node, const Array& output) {
  unsigned needs = 0;
  for (int i = 0; i < node.input_count(); ++i)
    if (node.input(i).node) needs |= autograd::needs_of(node.op(), i);
  node.output = Saved(output, (needs & autograd::Y) != 0);
}

Tensor record(Op op, Array result, Inputs inputs, const Attributes* attributes) {
  Ref<Node> node = make_node(op, inputs, attributes);
  if (node && !is_floating(result.dtype())) node = nullptr;  // integers have no slope
  if (node) save_output(*node, result);
  return make_tensor(std::move(result), std::move(node));
}

Tensor record_view(Op op, Array result, const Tensor& of, const Attributes* attributes) {
  Tensor view = record(op, std::move(result), {&of}, attributes);
  TensorImpl& source = of.impl();
  if (array_of(view).shares_storage(source.variable.array))
    view.impl().base = source.base ? source.base : Ref<TensorImpl>(&source);
  return view;
}

}  // namespace torchlight
