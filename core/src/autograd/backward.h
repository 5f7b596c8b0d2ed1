#pragma once

#include <vector>

#include "autograd/node.h"

/// Running a node's rule. Everything here is generic over V: Array for an ordinary backward, Tensor where
/// the gradient's own graph is asked for.
namespace torchlight::autograd {

/// How V is made and read; specialised where V is defined.
template <class V> struct Values;

template <> struct Values<Array> {
  static Array make(const Variable& variable) { return variable.array; }
  static Variable read(const Array& value) { return {value, nullptr}; }
};

/// What a rule sees: the incoming gradient, the values it saved, and where to put its results.
template <class V> class Backward {
 public:
  Backward(Node& node, const V& gradient, std::vector<V>& results)
      : g(gradient), node_(node), results_(results) {}

  const V& g;

  bool needs(int i) const { return i < node_.input_count() && static_cast<bool>(node_.input(i).node); }
  V x(int i) const {
    Node::Input& input = node_.input(i);
    return Values<V>::make({node_.value(input.saved), input.node});
  }
  V y() const { return Values<V>::make({node_.value(node_.output), Ref<Node>(&node_)}); }
  bool has(int i) const { return i < node_.input_count() && node_.input(i).saved.array.defined(); }

  const Attributes& at() const { return node_.attributes; }
  double p(int i) const { return node_.attributes.params[i]; }
  const Array& extra(int i) const { return node_.extras[i]; }
  int inputs() const { return node_.input_count(); }
  const Array& meta(int i) const { return node_.input(i).saved.array; }  ///< shape, dtype, device only
  const Shape& shape(int i) const { return meta(i).shape(); }
  int rank(int i) const { return shape(i).rank(); }

  V constant(const Array& array) const { return Values<V>::make({array, nullptr}); }
  V zeros(int i) const { return constant(full(shape(i), 0, meta(i).dtype(), meta(i).device())); }
  /// The same for rules that copy it, and so need not fill memory first: one zero, stretched.
  V blank(int i) const {
    return constant(expand(full({}, 0, meta(i).dtype(), meta(i).device()), shape(i)));
  }

  /// Hands over the gradient of input i. Broadcast dims are summed, dtype and device made the input's.
  void give(int i, V value) {
    const Array& like = meta(i);
    if (Values<V>::read(value).array.dtype() != like.dtype()) value = cast(value, like.dtype());
    results_[i] = sum_to(value, like.shape());
  }

  /// g with the reduced dims as 1, so that it broadcasts against the input.
  V kept() const { return reshape(g, kept_shape()); }
  V kept_y() const { return reshape(y(), kept_shape()); }

 private:
  Shape kept_shape() const {
    return reduced_shape(shape(0), dims_mask(node_.name(), node_.attributes.dims, rank(0)), true);
  }
  Node& node_;
  std::vector<V>& results_;
};

}  // namespace torchlight::autograd
