#pragma once

#include <torchlight/tensor.h>

#include "autograd/node.h"

namespace torchlight {

/// What the handles share: an array with its history.
class TensorImpl final : public RefCounted {
 public:
  explicit TensorImpl(Variable v) : variable(std::move(v)) {
    if (variable.array.has_storage()) history_version = variable.array.storage().version();
  }

  Variable variable;
  /// The tensor this one is a view of, so that a change in place reaches its history, too.
  Ref<TensorImpl> base;
  /// The storage's version when the history was right. Later changes through other views make it stale.
  std::uint64_t history_version = 0;
};

inline Tensor make_tensor(Array array, Ref<Node> node = nullptr) {
  return Tensor::adopt(Ref<TensorImpl>(new TensorImpl({std::move(array), std::move(node)})).detach());
}

inline const Array& array_of(const Tensor& tensor) { return tensor.impl().variable.array; }
inline const Ref<Node>& node_of(const Tensor& tensor) { return tensor.impl().variable.node; }

}  // namespace torchlight
