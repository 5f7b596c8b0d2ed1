#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "array/operations.h"
#include "tensor/impl.h"

namespace torchlight {

using Inputs = std::span<const Tensor* const>;

[[noreturn]] void refuse_undefined(std::string_view operation);

/// Makes the tensor of an operation's result. Where an input has history and this thread records, the
/// result gets a node with what the operation's rule needs.
Tensor record(Op op, Array result, Inputs inputs, const Attributes* attributes = nullptr);

inline Tensor record(Op op, Array result, std::initializer_list<const Tensor*> inputs,
                     const Attributes* attributes = nullptr) {
  return record(op, std::move(result), Inputs(inputs.begin(), inputs.size()), attributes);
}

/// The same for a result that is a view of the first input.
Tensor record_view(Op op, Array result, const Tensor& of, const Attributes* attributes = nullptr);

/// The node of an operation on these inputs, or null where no history is wanted. To be made before an
/// operation in place changes its input; the output is saved by save_output afterwards.
Ref<Node> make_node(Op op, Inputs inputs, const Attributes* attributes);
void save_output(Node& node, const Array& output);

/// The array of an operation's input; Error in the operation's name where it is undefined.
inline const Array& operand(Op op, const Tensor& x) {
  if (!x.defined()) refuse_undefined(written_name(name_of(op)));
  return array_of(x);
}

/// That an operation uses this tensor. make_node does it for its inputs.
void tell_observers(const Tensor& x);

inline Attributes with_params(double a, double b = 0) {
  Attributes attributes;
  attributes.params = {a, b};
  return attributes;
}

}  // namespace torchlight
