#include <torchlight/autograd.h>

#include "autograd/mode.h"
#include "support/text.h"
#include "tensor/functions.h"

namespace torchlight {

void FunctionContext::save(std::vector<Tensor> tensors) {
  saved_ = std::move(tensors);
  versions_.clear();
  for (const Tensor& t : saved_) versions_.push_back(t.defined() ? t.version() : 0);
}

const std::vector<Tensor>& FunctionContext::saved() const {
  for (std::size_t i = 0; i < saved_.size(); ++i)
    if (saved_[i].defined() && saved_[i].version() != versions_[i])
      throw Error(text("custom function: saved tensor ", i, " of shape ", saved_[i].shape().str(),
                       " was changed in place before backward"));
  return saved_;
}

Tensor custom_function(
    const std::string& name, const std::vector<Tensor>& inputs,
    const std::function<Tensor(FunctionContext&, const std::vector<Tensor>&)>& forward,
    const std::function<std::vector<Tensor>(FunctionContext&, const Tensor&)>& backward) {
  auto context = std::make_shared<FunctionContext>();
  Tensor result;
  {
    const no_grad guard;
    result = forward(*context, inputs);
  }
  if (!result.defined()) throw Error(text(name, ": forward gave an undefined tensor"));
  std::vector<const Tensor*> pointers;
  for (const Tensor& x : inputs) pointers.push_back(&x);
  Ref<Node> node = make_node(Op::custom, pointers, nullptr);
  if (!node) return make_tensor(array_of(result));
  node->set_custom(name, [context, backward](const Variable& gradient, bool) {
    std::vector<Variable> results;
    for (const Tensor& g : backward(*context, make_tensor(gradient.array, gradient.node)))
      results.push_back(g.defined() ? g.impl().variable : Variable());
    return results;
  });
  save_output(*node, array_of(result));
  return make_tensor(array_of(result), node);
}

}  // namespace torchlight
